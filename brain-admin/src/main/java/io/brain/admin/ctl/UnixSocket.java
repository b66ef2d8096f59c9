package io.brain.admin.ctl;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** HTTP requests over a Unix socket, which Java's HTTP client does not support. */
final class UnixSocket {
    static final String SCHEME = "unix";
    private static final int ANSWER_BYTES_MAX = 64 << 20;
    private static final Pattern ANSWER =
            Pattern.compile("HTTP/1\\.[01] ([0-9]{3})[^\r\n]*\r\n.*?\r\n\r\n(.*)", Pattern.DOTALL);

    private UnixSocket() {}

    /** The socket file of a URL, parsed as in etcd and its clients; empty if there is none. */
    static String file(URI url) {
        String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
        return authority + (url.getPath() == null ? "" : url.getPath());
    }

    /**
     * Sends one GET request.
     *
     * @throws IOException if the server is unreachable, too slow, or does not answer in HTTP
     */
    static AdminClient.Answer get(String file, String path, Duration timeout) throws IOException {
        String request = "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
        String answer;
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            CompletableFuture.delayedExecutor(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> close(channel));
            InputStream input = Channels.newInputStream(channel);
            answer = new String(input.readNBytes(ANSWER_BYTES_MAX), StandardCharsets.UTF_8);
        } catch (AsynchronousCloseException closed) {
            throw new IOException("no answer within " + timeout.toSeconds() + " s", closed);
        }
        Matcher parts = ANSWER.matcher(answer);
        if (!parts.matches()) {
            throw new IOException("not an HTTP server");
        }
        return new AdminClient.Answer(Integer.parseInt(parts.group(1)), parts.group(2));
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
