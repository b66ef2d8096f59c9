package io.brain.server.ctl;

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

/** Asks over a socket in the file system, which Java's client of HTTP knows nothing of. */
final class SocketFile {
    static final String SCHEME = "unix";
    private static final int ANSWER_BYTES_MAX = 64 << 20;
    private static final Pattern ANSWER =
            Pattern.compile("HTTP/1\\.[01] ([0-9]{3})[^\r\n]*\r\n.*?\r\n\r\n(.*)", Pattern.DOTALL);

    private SocketFile() {}

    /**
     * What a server answers.
     *
     * @param status HTTP's number
     */
    record Answer(int status, String body) {}

    /** The file that a URL names, as etcd and its clients read it; empty if it names none. */
    static String of(URI url) {
        String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
        return authority + (url.getPath() == null ? "" : url.getPath());
    }

    /**
     * Asks once.
     *
     * @throws IOException if nobody answers, in time or in HTTP
     */
    static Answer get(String file, String path, Duration patience) throws IOException {
        long end = System.nanoTime() + patience.toNanos();
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
                    throw new IOException("no answer within " + patience.toSeconds() + " s");
                }
                if (answer.size() > ANSWER_BYTES_MAX) {
                    throw new IOException("an answer without an end");
                }
                if (waits) {
                    selector.select(left);
                    selector.selectedKeys().clear();
                }
            }
        }
        Matcher parts = ANSWER.matcher(answer.toString(StandardCharsets.UTF_8));
        if (!parts.matches()) {
            throw new IOException("what listens there does not speak HTTP");
        }
        return new Answer(Integer.parseInt(parts.group(1)), parts.group(2));
    }
}
