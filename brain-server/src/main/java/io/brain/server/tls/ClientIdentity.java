package io.brain.server.tls;

import io.grpc.ChannelCredentials;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettySslContextChannelCredentials;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;

/** TLS identity and trust of a client program; files are read once. */
public final class ClientIdentity {
    private ClientIdentity() {}

    /**
     * Creates a context from PEM files.
     *
     * @param trusted CA bundle that verifies servers; null: Java's default
     * @param certificate client certificate; null for none
     * @param key its private key; null for none
     */
    public static SSLContext context(Path trusted, Path certificate, Path key)
            throws GeneralSecurityException, IOException {
        SslContextBuilder builder = builder(trusted, certificate, key);
        return ((JdkSslContext) builder.sslProvider(SslProvider.JDK).build()).context();
    }

    /** Creates credentials for gRPC; see {@link #context}. */
    public static ChannelCredentials credentials(Path trusted, Path certificate, Path key)
            throws GeneralSecurityException, IOException {
        SslContextBuilder builder = builder(trusted, certificate, key);
        return NettySslContextChannelCredentials.create(
                GrpcSslContexts.configure(builder, SslProvider.JDK).build());
    }

    private static SslContextBuilder builder(Path trusted, Path certificate, Path key)
            throws GeneralSecurityException, IOException {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (certificate != null) {
            builder.keyManager(
                    Pem.privateKey(Files.readAllBytes(key)),
                    Pem.certificates(Files.readAllBytes(certificate)));
        }
        if (trusted != null) {
            builder.trustManager(Pem.certificates(Files.readAllBytes(trusted)));
        }
        return builder;
    }
}
