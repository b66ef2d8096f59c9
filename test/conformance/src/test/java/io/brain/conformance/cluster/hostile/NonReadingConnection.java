package io.brain.conformance.cluster.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A connection that sends one gRPC call by hand, lets the server send two gigabytes for it, and
 * never reads a byte: neither HTTP/2's windows nor a polite client hold the server back.
 */
final class NonReadingConnection implements AutoCloseable {

    private static final int RECEIVE_BUFFER_BYTES = 4_096;

    private final Socket socket = new Socket();

    /**
     * @param method such as {@code /etcdserverpb.KV/Range}
     * @param message the request, one
     * @param isLast true when the client's half of the stream ends with it
     */
    NonReadingConnection(int port, String method, byte[] message, boolean isLast)
            throws IOException {
        socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Frames frames = new Frames().preface(Integer.MAX_VALUE).widestWindow();
        socket.getOutputStream().write(frames.call(1, method, message, isLast).bytes());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
