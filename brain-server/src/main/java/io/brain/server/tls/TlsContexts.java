package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Callers;
import io.brain.server.config.BrainConfig.Protocols;
import io.brain.server.config.BrainConfig.Tls;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.tls.ReloadedContext.FileSet;
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
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLServerSocketFactory;

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

    private final Tls settings;
    private final List<ReloadedContext> contexts = new CopyOnWriteArrayList<>();

    /** Creates contexts from files; they are read when a context is created. */
    public TlsContexts(Tls settings) {
        this.settings = settings;
    }

    /**
     * Context of the peer listener: HTTP/2 only.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext nodes() throws IOException {
        return listening(builder -> GrpcSslContexts.configure(builder, SslProvider.JDK));
    }

    /**
     * Context of the client listener: gRPC and HTTP/1. A client that offers HTTP/1 is not a gRPC
     * client but uses the HTTP endpoints, which are HTTP/1 only.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext clients() throws IOException {
        return listening(http(ApplicationProtocolNames.HTTP_1_1, ApplicationProtocolNames.HTTP_2));
    }

    /**
     * Context of an HTTP-only listener: HTTP/1.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext pages() throws IOException {
        return listening(http(ApplicationProtocolNames.HTTP_1_1));
    }

    /**
     * Context of outbound connections: verifies the peer's host name. With self-signed certificates
     * it trusts all peers, because theirs are self-signed as well.
     *
     * @throws IOException if a file cannot be loaded
     */
    public SslContext caller() throws IOException {
        return reloaded(
                new FileSet(settings.client(), settings.trustedCa(), null),
                content -> {
                    SslContextBuilder builder = SslContextBuilder.forClient();
                    if (settings.selfSigned() != null) {
                        builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
                        builder.endpointIdentificationAlgorithm(null);
                    }
                    if (content.own() != null) {
                        builder.keyManager(content.own().key(), content.own().chain());
                    }
                    if (!content.authorities().isEmpty()) {
                        builder.trustManager(content.authorities());
                    }
                    GrpcSslContexts.configure(builder, SslProvider.JDK);
                    return restricted(builder).build();
                });
    }

    /** Metrics of the expiry of all certificates in use. */
    public static MetricsSource expiries(List<TlsContexts> groups) {
        return text -> {
            Map<Path, Long> expiries = new TreeMap<>();
            groups.stream()
                    .flatMap(group -> group.contexts.stream())
                    .flatMap(context -> context.certificates().entrySet().stream())
                    .forEach(file -> expiries.put(file.getKey(), expiry(file.getValue())));
            if (!expiries.isEmpty()) {
                text.gauge(
                        "brain_certificate_expiry_timestamp_seconds",
                        "Earliest expiry of a certificate in the file, since the Unix epoch in"
                                + " seconds.");
                expiries.forEach((file, end) -> text.value(end, "file", file.toString()));
            }
        };
    }

    private static long expiry(List<X509Certificate> certificates) {
        return certificates.stream()
                .mapToLong(certificate -> certificate.getNotAfter().toInstant().getEpochSecond())
                .min()
                .orElseThrow();
    }

    /**
     * A context that serves connections. As in etcd, a configured CA implies that client
     * certificates are required.
     *
     * @param protocols sets the application protocols
     */
    private SslContext listening(UnaryOperator<SslContextBuilder> protocols) throws IOException {
        Callers callers = settings.callers();
        if (!callers.certificates()) {
            return reloaded(
                    new FileSet(settings.server(), null, null),
                    content -> restricted(protocols.apply(server(content))).build());
        }
        return reloaded(
                new FileSet(settings.server(), settings.trustedCa(), callers.revoked()),
                content -> {
                    SslContextBuilder builder = protocols.apply(server(content));
                    builder.clientAuth(ClientAuth.REQUIRE);
                    builder.trustManager(CallerCheck.trustManager(callers, content));
                    return restricted(builder).build();
                });
    }

    private static SslContextBuilder server(ReloadedContext.Content content) {
        return SslContextBuilder.forServer(content.own().key(), content.own().chain());
    }

    private SslContext reloaded(FileSet files, ReloadedContext.Builder builder) throws IOException {
        if (settings.selfSigned() != null) {
            SelfSignedCertificate.ensure(settings.server(), settings.selfSigned());
        }
        ReloadedContext context = new ReloadedContext(files, builder);
        contexts.add(context);
        return context;
    }

    private static UnaryOperator<SslContextBuilder> http(String... protocols) {
        ApplicationProtocolConfig config =
                new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        protocols);
        return builder -> builder.sslProvider(SslProvider.JDK).applicationProtocolConfig(config);
    }

    private SslContextBuilder restricted(SslContextBuilder builder) throws IOException {
        Protocols protocols = settings.protocols();
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
        return ((SSLServerSocketFactory) SSLServerSocketFactory.getDefault())
                .getSupportedCipherSuites();
    }

    private static String javaName(String version) {
        return version.replace("TLS", "TLSv");
    }
}
