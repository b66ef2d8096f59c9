package io.brain.conformance.cluster.hostile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A connection that sends one gRPC call by hand, lets the server send two gigabytes for it, and
 * never reads a byte: neither HTTP/2's windows nor a polite client hold the server back.
 */
final class DeafConnection implements AutoCloseable {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final short INITIAL_WINDOW_SIZE = 4;
    private static final int WINDOW_MAX = Integer.MAX_VALUE;
    private static final int WINDOW_AT_START = 65_535;
    private static final int RECEIVE_BUFFER_BYTES = 4_096;

    private final Socket socket = new Socket();

    /**
     * @param method such as {@code /etcdserverpb.KV/Range}
     * @param message the request, one
     * @param isLast true when the client's half of the stream ends with it
     */
    DeafConnection(int port, String method, byte[] message, boolean isLast) throws IOException {
        socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer settings = ByteBuffer.allocate(6).putShort(INITIAL_WINDOW_SIZE);
        frame(out, SETTINGS, 0, 0, settings.putInt(WINDOW_MAX).array());
        ByteBuffer update = ByteBuffer.allocate(4).putInt(WINDOW_MAX - WINDOW_AT_START);
        frame(out, WINDOW_UPDATE, 0, 0, update.array());
        frame(out, HEADERS, END_HEADERS, 1, headers(method, port));
        ByteBuffer data = ByteBuffer.allocate(5 + message.length).put((byte) 0);
        data.putInt(message.length).put(message);
        frame(out, DATA, isLast ? END_STREAM : 0, 1, data.array());
        socket.getOutputStream().write(out.toByteArray());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static byte[] headers(String method, int port) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        header(block, ":method", "POST");
        header(block, ":scheme", "http");
        header(block, ":path", method);
        header(block, ":authority", "127.0.0.1:" + port);
        header(block, "content-type", "application/grpc");
        header(block, "te", "trailers");
        return block.toByteArray();
    }

    /** HPACK's plainest form: a literal that is not indexed, neither name nor value compressed. */
    private static void header(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        block.write(name.length());
        block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        block.write(value.length());
        block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    private static void frame(
            ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        ByteBuffer header = ByteBuffer.allocate(9);
        header.put((byte) (payload.length >> 16)).putShort((short) payload.length);
        header.put((byte) type).put((byte) flags).putInt(stream);
        out.writeBytes(header.array());
        out.writeBytes(payload);
    }
}
