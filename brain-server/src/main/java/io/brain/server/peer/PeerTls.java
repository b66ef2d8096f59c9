package io.brain.server.peer;

import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.Tls;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;

/**
 * TLS between nodes. Certificates and keys are read again when their files change, for connections
 * that begin after that. Thread-safe.
 */
public final class PeerTls {
    private final Tls files;

    /** TLS with these files. */
    public PeerTls(Tls files) {
        this.files = files;
    }

    /**
     * Of the side that listens. As in etcd, who names an authority wants to see certificates.
     *
     * @throws IOException if a file cannot be used
     */
    SslContext server() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forServer(new ReloadedKeys(files.server()));
        if (files.clientCertAuth() || files.trustedCa() != null) {
            builder.clientAuth(ClientAuth.REQUIRE);
            if (files.trustedCa() != null) {
                builder.trustManager(new ReloadedTrust(files.trustedCa()));
            }
        }
        return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    }

    /**
     * Of the side that connects: it checks that the other one has the name that it is called by.
     *
     * @throws IOException if a file cannot be used
     */
    SslContext client() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient();
        Identity identity = files.client();
        if (identity != null) {
            builder.keyManager(new ReloadedKeys(identity));
        }
        if (files.trustedCa() != null) {
            builder.trustManager(new ReloadedTrust(files.trustedCa()));
        }
        return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    }
}
