package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.Protocols;
import io.brain.server.config.BrainConfig.Tls;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * TLS contexts of one group of flags: for clients, or for peers. Changed certificate, key, CA and
 * CRL files are reloaded, and apply to new connections. Thread-safe.
 */
public final class TlsContexts {
    /** Always enabled with TLS 1.3, as in Go. */
    private static final List<String> SUITES_1_3 =
            List.of(
                    "TLS_AES_128_GCM_SHA256",
                    "TLS_AES_256_GCM_SHA384",
                    "TLS_CHACHA20_POLY1305_SHA256");

    private final Tls files;
    private final List<Expiry> expiries = new CopyOnWriteArrayList<>();

    /** Creates contexts from these files; they are read when a context is created. */
    public TlsContexts(Tls files) {
        this.files = files;
    }

    /**
     * Context of the peer listener: HTTP/2 only.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext nodes() throws IOException {
        return restricted(GrpcSslContexts.configure(listening(), SslProvider.JDK)).build();
    }

    /**
     * Context of the client listener: gRPC and HTTP/1. A client that offers HTTP/1 is not a gRPC
     * client but uses the HTTP endpoints, which are HTTP/1 only.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext clients() throws IOException {
        return http(ApplicationProtocolNames.HTTP_1_1, ApplicationProtocolNames.HTTP_2);
    }

    /**
     * Context of an HTTP-only listener: HTTP/1.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext pages() throws IOException {
        return http(ApplicationProtocolNames.HTTP_1_1);
    }

    /**
     * Context of outbound connections: verifies the peer's host name. With self-signed certificates
     * it trusts all peers, because theirs are self-signed as well.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext caller() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient();
        Identity identity = files.client();
        if (files.selfSigned() != null) {
            SelfSignedFiles.ensure(files.server(), files.selfSigned());
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            builder.endpointIdentificationAlgorithm(null);
        }
        if (identity != null) {
            builder.keyManager(keys(identity));
        }
        if (files.trustedCa() != null) {
            builder.trustManager(trust(null));
        }
        return restricted(GrpcSslContexts.configure(builder, SslProvider.JDK)).build();
    }

    /** Expiries of the certificates in use. */
    List<Expiry> expiries() {
        return expiries;
    }

    private SslContext http(String... protocols) throws IOException {
        return restricted(listening())
                .sslProvider(SslProvider.JDK)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                protocols))
                .build();
    }

    /** As in etcd, a configured CA implies that client certificates are required. */
    private SslContextBuilder listening() throws IOException {
        if (files.selfSigned() != null) {
            SelfSignedFiles.ensure(files.server(), files.selfSigned());
        }
        SslContextBuilder builder = SslContextBuilder.forServer(keys(files.server()));
        if (files.callers().certificates()) {
            builder.clientAuth(ClientAuth.REQUIRE);
            builder.trustManager(trust(new CallerCheck(files.callers())));
        }
        return builder;
    }

    private SslContextBuilder restricted(SslContextBuilder builder) throws IOException {
        Protocols protocols = files.protocols();
        boolean newest = protocols.versions().contains("TLS1.3");
        List<String> suites = new ArrayList<>(Http2SecurityUtil.CIPHERS);
        if (!protocols.cipherSuites().isEmpty()) {
            suites = new ArrayList<>(protocols.cipherSuites());
            suites.addAll(newest ? SUITES_1_3 : List.of());
        }
        builder.protocols(protocols.versions().stream().map(TlsContexts::javaName).toList());
        builder.ciphers(suites, SupportedCipherSuiteFilter.INSTANCE);
        if (!newest && Stream.of(supported()).noneMatch(suites::contains)) {
            throw new IOException(
                    "--cipher-suites: this Java version supports none of "
                            + String.join(",", suites));
        }
        return builder;
    }

    private static String[] supported() {
        return ((javax.net.ssl.SSLServerSocketFactory)
                        javax.net.ssl.SSLServerSocketFactory.getDefault())
                .getSupportedCipherSuites();
    }

    private static String javaName(String version) {
        return version.replace("TLS", "TLSv");
    }

    private ReloadedKeys keys(Identity identity) throws IOException {
        ReloadedKeys keys = new ReloadedKeys(identity);
        expiries.add(new Expiry(identity.certificates(), keys::expiry));
        return keys;
    }

    private ReloadedTrust trust(CallerCheck check) throws IOException {
        ReloadedTrust trust = new ReloadedTrust(files.trustedCa(), check);
        if (files.trustedCa() != null) {
            expiries.add(new Expiry(files.trustedCa(), trust::expiry));
        }
        return trust;
    }
}
