package io.brain.server.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.server.TestServer;
import io.brain.server.tls.TestAuthority;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All address types that etcd accepts. */
@Timeout(60)
class AddressTest {
    @TempDir private Path directory;

    @Test
    void aUnixSocketServesAndIsRemoved() throws Exception {
        Path file = directory.resolve("s");
        for (int i = 0; i < 2; i++) {
            try (TestServer server = new TestServer("--listen-client-urls=unix://" + file)) {
                requireServed(file, null);
                assertThat(server.backend.txns).hasSize(1);
            }
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void aStaleSocketIsReplacedButNoOtherFile() throws Exception {
        Path file = directory.resolve("s");
        try (java.nio.channels.ServerSocketChannel left =
                java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(file));
        }
        assertThat(file).exists();
        new TestServer("--listen-client-urls=unix://" + file).close();
        Files.writeString(file, "precious");
        assertThatThrownBy(() -> new TestServer("--listen-client-urls=unix://" + file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + " exists and is not a socket");
        assertThat(file).hasContent("precious");
    }

    @Test
    void aSocketInUseIsNotReplaced() throws Exception {
        Path file = directory.resolve("s");
        try (TestServer server = new TestServer("--listen-client-urls=unix://" + file)) {
            assertThatThrownBy(() -> new TestServer("--listen-client-urls=unix://" + file))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            file
                                    + ": socket already in use; stop the other process, or use"
                                    + " another address");
            requireServed(file, null);
            assertThat(server.backend.txns).hasSize(1);
        }
    }

    @Test
    void aUnixSocketMayUseTls() throws Exception {
        TestAuthority authority = new TestAuthority("ca");
        authority.issue(directory, "server");
        Files.writeString(directory.resolve("ca.crt"), authority.certificate());
        Path file = directory.resolve("s");
        SslContext tls =
                GrpcSslContexts.configure(
                                SslContextBuilder.forClient()
                                        .trustManager(directory.resolve("ca.crt").toFile()),
                                SslProvider.JDK)
                        .build();
        try (TestServer server =
                new TestServer(
                        "--listen-client-urls=unixs://" + file,
                        "--cert-file=" + directory.resolve("server.crt"),
                        "--key-file=" + directory.resolve("server.key"))) {
            requireServed(file, tls);
            assertThat(server.backend.txns).hasSize(1);
        }
    }

    @Test
    void ipv6AddressesAreServed() throws Exception {
        Assumptions.assumeTrue(hasIpv6(), "no IPv6 here");
        try (TestServer server = new TestServer("--listen-client-urls=http://[::1]:0")) {
            PutRequest put =
                    PutRequest.newBuilder()
                            .setKey(com.google.protobuf.ByteString.copyFromUtf8("k"))
                            .build();
            KVGrpc.newBlockingStub(server.channel()).put(put);
        }
    }

    @Test
    void anErrorNamesThePortInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (String flag : new String[] {"client", "metrics"}) {
                assertThatThrownBy(
                                () ->
                                        new TestServer(
                                                "--listen-%s-urls=http://127.0.0.1:%d"
                                                        .formatted(flag, taken.getLocalPort())))
                        .isInstanceOf(IOException.class)
                        .hasMessage(
                                "/127.0.0.1:"
                                        + taken.getLocalPort()
                                        + ": Address already in use; stop the other process, or use"
                                        + " another address");
            }
        }
    }

    @Test
    void anErrorNamesAnAddressOfAnotherHost() {
        for (String flag : new String[] {"client", "metrics"}) {
            assertThatThrownBy(
                            () -> new TestServer("--listen-" + flag + "-urls=http://192.0.2.1:1"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("assign requested address; use another address");
        }
    }

    private static void requireServed(Path file, SslContext tls) throws InterruptedException {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(file))
                        .eventLoopGroup(loops)
                        .channelType(NioDomainSocketChannel.class)
                        .overrideAuthority("127.0.0.1");
        ManagedChannel channel =
                (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
        try {
            PutRequest put =
                    PutRequest.newBuilder()
                            .setKey(com.google.protobuf.ByteString.copyFromUtf8("k"))
                            .build();
            KVGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS).put(put);
        } finally {
            channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static boolean hasIpv6() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
            return socket.isBound();
        } catch (BindException none) {
            return false;
        }
    }
}
