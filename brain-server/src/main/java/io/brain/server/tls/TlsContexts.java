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
 * TLS with the files of one group of flags: for clients, or between nodes. Certificates, keys,
 * authorities and lists of revoked certificates are read again when their files change, for
 * connections that begin after that. Thread-safe.
 */
public final class TlsContexts {
    /** These are always on where TLS 1.3 is, as in Go. */
    private static final List<String> SUITES_1_3 =
            List.of(
                    "TLS_AES_128_GCM_SHA256",
                    "TLS_AES_256_GCM_SHA384",
                    "TLS_CHACHA20_POLY1305_SHA256");

    private final Tls files;
    private final List<Expiry> expiries = new CopyOnWriteArrayList<>();

    /** TLS with these files; they are read when a context is made. */
    public TlsContexts(Tls files) {
        this.files = files;
    }

    /**
     * Of a side that listens to nodes: HTTP/2 and nothing else.
     *
     * @throws IOException if a file cannot be used
     */
    public SslContext nodes() throws IOException {
        return restricted(GrpcSslContexts.configure(listening(), SslProvider.JDK)).build();
    }

    /**
     * Of a side that listens to clients: gRPC and HTTP/1. Who knows HTTP/1 too is no client of gRPC
     * but one of the HTTP pages, which are there in HTTP/1 only.
     *
     * @throws IOException if a file cannot be used
     */
    public SslContext clients() throws IOException {
        return http(ApplicationProtocolNames.HTTP_1_1, ApplicationProtocolNames.HTTP_2);
    }

    /**
     * Of a side that listens to clients: HTTP/1 alone.
     *
     * @throws IOException if a file cannot be used
     */
    public SslContext pages() throws IOException {
        return http(ApplicationProtocolNames.HTTP_1_1);
    }

    /**
     * Of the side that connects: it checks that the other one has the name that it is called by.
     * With a certificate of its own making it trusts everybody, as others have such, too.
     *
     * @throws IOException if a file cannot be used
     */
    public SslContext caller() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient();
        Identity identity = files.client();
        if (files.selfSigned() != null) {
            SelfSignedFiles.make(files.server(), files.selfSigned());
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

    /** When the certificates end that contexts were made of. */
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

    /** As in etcd, who names an authority wants to see certificates. */
    private SslContextBuilder listening() throws IOException {
        if (files.selfSigned() != null) {
            SelfSignedFiles.make(files.server(), files.selfSigned());
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
                    "--cipher-suites: this Java has none of " + String.join(",", suites));
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
