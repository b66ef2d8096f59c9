package io.brain.conformance.script;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** HTTP/1 as it is typed: any bytes, and all that comes back. */
final class HttpByHand {
    /** For the first byte of an answer, from a busy machine. */
    private static final int ANSWER_MILLIS_MAX = 20_000;

    private static final int SILENCE_MILLIS_MAX = 2_000;

    private HttpByHand() {}

    /**
     * Status line, headers but the date, sorted, and the body; the lines of health checks sorted,
     * metrics left out with their length. Ends with "(open)" if the connection stays open.
     */
    static String exchange(int port, String request) throws IOException {
        StringBuilder answer = new StringBuilder();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(ANSWER_MILLIS_MAX);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            boolean closed = readAll(socket, answer);
            return shown(answer.toString()) + (closed ? "" : " (open)");
        }
    }

    private static boolean readAll(Socket socket, StringBuilder answer) throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] piece = new byte[1 << 16];
        try {
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                bytes.write(piece, 0, count);
                socket.setSoTimeout(SILENCE_MILLIS_MAX);
            }
            return true;
        } catch (SocketTimeoutException silence) {
            return false;
        } catch (SocketException reset) {
            return true;
        } finally {
            answer.append(bytes.toString(StandardCharsets.UTF_8));
        }
    }

    private static String shown(String answer) {
        int end = answer.indexOf("\r\n\r\n");
        if (end < 0) {
            return answer;
        }
        String[] lines = answer.substring(0, end).split("\r\n", -1);
        String body = answer.substring(end + 4);
        boolean metrics = answer.substring(0, end).contains("version=0.0.4");
        String headers =
                Stream.of(lines)
                        .skip(1)
                        .map(line -> line.toLowerCase(Locale.ROOT))
                        .filter(line -> !line.startsWith("date:"))
                        .filter(line -> !(metrics && isLength(line)))
                        .sorted()
                        .collect(Collectors.joining(", "));
        if (metrics && !body.isEmpty()) {
            body = body.contains("# TYPE ") ? "metrics" : "no metrics: " + body;
        } else if (body.contains("]serializable_read") || body.contains("]data_corruption")) {
            body = body.lines().sorted().collect(Collectors.joining("\n"));
        }
        return lines[0] + " {" + headers + "} [" + body + "]";
    }

    private static boolean isLength(String header) {
        return header.startsWith("content-length:") || header.startsWith("transfer-encoding:");
    }
}
