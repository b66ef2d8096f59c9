package io.brain.storage.mysql;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.testkit.SelfSignedKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WriteLimitSocketsTest {
    private static final int LIMIT_MILLIS = 2000;

    private ServerSocket server;

    @BeforeEach
    void listen() throws Exception {
        server = new ServerSocket();
        server.setReceiveBufferSize(256 << 10);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private static <T> Future<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static Future<Void> write(Socket socket, int bytes) {
        return start(
                () -> {
                    socket.getOutputStream().write(new byte[bytes]);
                    return null;
                });
    }

    private static void assertFails(Future<Void> work, Class<? extends Throwable> failure) {
        assertThatThrownBy(() -> work.get(15, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(failure);
    }

    private Socket connected() throws IOException {
        Socket socket = new WriteLimitSockets().createSocket();
        socket.setSendBufferSize(256 << 10);
        socket.connect(server.getLocalSocketAddress());
        return socket;
    }

    @Test
    void aWriteToAPeerThatReadsNothingFails() throws Exception {
        try (Socket socket = connected();
                Socket peer = server.accept()) {
            socket.setSoTimeout(LIMIT_MILLIS);
            assertFails(write(socket, 64 << 20), IOException.class);
            assertThat(peer.isClosed()).isFalse();
        }
    }

    @Test
    void aSlowReaderIsWaitedFor() throws Exception {
        int size = 16 << 20;
        try (Socket socket = connected();
                Socket peer = server.accept()) {
            socket.setSoTimeout(LIMIT_MILLIS);
            long begun = System.nanoTime();
            Future<Void> written = write(socket, size);
            for (int read = 0; read < size; ) {
                read += peer.getInputStream().readNBytes(512 << 10).length;
                Thread.sleep(200);
            }
            written.get(15, TimeUnit.SECONDS);
            assertThat(System.nanoTime() - begun)
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2 * LIMIT_MILLIS));
        }
    }

    @Test
    void aSocketOfTlsAboveFailsAndCanBeClosed(@TempDir Path directory) throws Exception {
        SSLContext context = tls(directory);
        try (Socket below = connected();
                Socket peer = server.accept()) {
            SSLSocket socket = layered(context, below);
            SSLSocket silent = layered(context, peer);
            silent.setUseClientMode(false);
            Future<Void> shaken = handshake(silent);
            socket.startHandshake();
            shaken.get(1, TimeUnit.MINUTES);
            socket.setSoTimeout(LIMIT_MILLIS);
            assertFails(write(socket, 64 << 20), IOException.class);
            start(
                            () -> {
                                socket.close();
                                return null;
                            })
                    .get(15, TimeUnit.SECONDS);
        }
    }

    private static Future<Void> handshake(SSLSocket socket) {
        return start(
                () -> {
                    socket.startHandshake();
                    return null;
                });
    }

    private static SSLSocket layered(SSLContext context, Socket below) throws IOException {
        return (SSLSocket)
                context.getSocketFactory().createSocket(below, "db", below.getPort(), true);
    }

    /** With a key that it trusts itself. */
    private static SSLContext tls(Path directory) throws Exception {
        KeyStore keys = SelfSignedKey.create(directory.resolve("store"), "db");
        KeyManagerFactory own =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, SelfSignedKey.password());
        TrustManagerFactory trusted =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    @Test
    void mariadbsDriverHasTheLimit() throws Exception {
        String greeting =
                "\n8.0.0\0" // protocol 10
                        + "\1\0\0\0" // connection
                        + "seedseed\0"
                        + "\0\u0082!\2\0\10\0\25" // capabilities, charset, status
                        + "\0".repeat(10)
                        + "seedseedseed\0mysql_native_password\0";
        assertConnectingFails(
                new MysqlDialect(),
                "jdbc:mariadb://localhost:%d/brain?user=u&initSql=",
                (char) greeting.length()
                        + "\0\0\0"
                        + greeting
                        + "\7\0\0\2\0\0\0\2\0\0\0"); // logged in
    }

    @Test
    void postgresDriverHasTheLimit() throws Exception {
        assertConnectingFails(
                new PostgresDialect(),
                "jdbc:postgresql://localhost:%d/brain?loginTimeout=0" // would leave a thread behind
                        + "&user=",
                "N"); // no TLS
    }

    /**
     * Connects to a server that answers, and then reads nothing.
     *
     * @param url with the port to fill in; its last parameter becomes larger than all buffers
     */
    private void assertConnectingFails(Dialect dialect, String url, String answer)
            throws Exception {
        SqlSettings settings =
                SqlSettings.parse(
                        dialect,
                        Map.of(
                                "database-url",
                                url.formatted(server.getLocalPort()) + "x".repeat(15 << 20),
                                "statement-timeout-ms",
                                "1000"),
                        Map.of());
        Future<Void> connecting =
                start(
                        () -> {
                            Pools.connect(dialect, settings).close();
                            return null;
                        });
        try (Socket peer = server.accept()) {
            peer.getOutputStream().write(answer.getBytes(ISO_8859_1));
            assertFails(connecting, SQLException.class);
        }
    }
}
