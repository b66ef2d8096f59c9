package io.brain.server.tls;

import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clients with certificates from files of one directory. */
public final class TlsClients implements AutoCloseable {
    private final Path directory;
    private final List<ManagedChannel> channels = new ArrayList<>();

    public TlsClients(Path directory) {
        this.directory = directory;
    }

    /** A new connection to the server; without a certificate if {@code certificate} is null. */
    public ManagedChannel channel(InetSocketAddress server, String authority, String certificate)
            throws IOException {
        SslContextBuilder tls = SslContextBuilder.forClient();
        tls.trustManager(directory.resolve(authority + ".crt").toFile());
        if (certificate != null) {
            tls.keyManager(file(certificate + ".crt"), file(certificate + ".key"));
        }
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(server)
                        .sslContext(GrpcSslContexts.configure(tls, SslProvider.JDK).build())
                        .build();
        channels.add(channel);
        return channel;
    }

    /** True if a call succeeds, false if no connection can be made. */
    public boolean isServed(InetSocketAddress server, String authority, String certificate)
            throws IOException {
        return isServed(channel(server, authority, certificate));
    }

    public static boolean isServed(ManagedChannel channel) {
        try {
            KVGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(30, TimeUnit.SECONDS)
                    .range(RangeRequest.getDefaultInstance());
            throw new AssertionError("a range without a key is no range");
        } catch (StatusRuntimeException failure) {
            return switch (failure.getStatus().getCode()) {
                case INVALID_ARGUMENT -> true;
                case UNAVAILABLE -> false;
                default -> throw failure;
            };
        }
    }

    /** GET request of an HTTP client that also offers HTTP/2. */
    HttpResponse<String> get(InetSocketAddress server, String path)
            throws IOException, InterruptedException {
        JdkSslContext tls =
                (JdkSslContext)
                        SslContextBuilder.forClient()
                                .sslProvider(SslProvider.JDK)
                                .trustManager(file("ca.crt"))
                                .build();
        URI uri = URI.create("https://127.0.0.1:" + server.getPort() + path);
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(tls.context())
                .build()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private java.io.File file(String name) {
        return directory.resolve(name).toFile();
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
