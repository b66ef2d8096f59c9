package io.brain.admin.ctl;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** HTTP requests over a Unix socket, which Java's HTTP client does not support. */
final class SocketFile {
    static final String SCHEME = "unix";
    private static final int ANSWER_BYTES_MAX = 64 << 20;
    private static final Pattern ANSWER =
            Pattern.compile("HTTP/1\\.[01] ([0-9]{3})[^\r\n]*\r\n.*?\r\n\r\n(.*)", Pattern.DOTALL);

    private SocketFile() {}

    /**
     * A server's answer.
     *
     * @param status HTTP status code
     */
    record Answer(int status, String body) {}

    /** The socket file of a URL, parsed as in etcd and its clients; empty if there is none. */
    static String of(URI url) {
        String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
        return authority + (url.getPath() == null ? "" : url.getPath());
    }

    /**
     * Sends one GET request.
     *
     * @throws IOException if the server is unreachable, too slow, or does not answer in HTTP
     */
    static Answer get(String file, String path, Duration timeout) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        String request = "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file));
                Selector selector = Selector.open()) {
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            ByteBuffer piece = ByteBuffer.allocate(1 << 16);
            while (channel.read(piece) >= 0) {
                answer.write(piece.array(), 0, piece.position());
                boolean waits = piece.position() == 0;
                piece.clear();
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new IOException("no answer within " + timeout.toSeconds() + " s");
                }
                if (answer.size() > ANSWER_BYTES_MAX) {
                    throw new IOException("response too large");
                }
                if (waits) {
                    selector.select(left);
                    selector.selectedKeys().clear();
                }
            }
        }
        Matcher parts = ANSWER.matcher(answer.toString(StandardCharsets.UTF_8));
        if (!parts.matches()) {
            throw new IOException("not an HTTP server");
        }
        return new Answer(Integer.parseInt(parts.group(1)), parts.group(2));
    }
}
