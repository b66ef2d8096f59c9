package io.brain.conformance.cluster.hostile;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/**
 * A connection with one call, whose message is sent as fast as the server's windows allow, but for
 * its last byte.
 */
final class UnfinishedMessage implements AutoCloseable {

    private static final int WINDOW_UPDATE = 8;
    private static final int SETTINGS = 4;
    private static final int WINDOW_AT_START = 65_535;
    private static final int FRAME_BYTES = 16_384;
    private static final int INITIAL_WINDOW_SIZE = 4;

    private final Socket socket;
    private final int bytes;
    private final Thread reader;
    private final Thread sender;
    private long connectionWindow = WINDOW_AT_START;
    private long streamWindow = WINDOW_AT_START;
    private int initialWindow = WINDOW_AT_START;
    private boolean over;

    UnfinishedMessage(int port, String method, int bytes) throws IOException {
        this.bytes = bytes;
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write(new Frames().preface(WINDOW_AT_START).bytes());
        socket.getOutputStream().write(new Frames().begin(1, method, bytes).bytes());
        take(5);
        reader = new Thread(this::read);
        sender = new Thread(this::send);
        reader.start();
        sender.start();
    }

    private void send() {
        byte[] part = new byte[FRAME_BYTES];
        try {
            for (int left = bytes - 1; left > 0; ) {
                int size = Math.min(left, FRAME_BYTES);
                if (!take(size)) {
                    return;
                }
                byte[] payload = size == FRAME_BYTES ? part : new byte[size];
                socket.getOutputStream().write(new Frames().data(1, payload).bytes());
                left -= size;
            }
        } catch (IOException ended) {
            // The server may well end the connection.
        }
    }

    /** Waits until so much may be sent; false if the server ended the connection. */
    private synchronized boolean take(int size) {
        try {
            while (!over && (connectionWindow < size || streamWindow < size)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        connectionWindow -= size;
        streamWindow -= size;
        return !over;
    }

    private void read() {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = new byte[length];
                in.readFully(payload);
                if (type == WINDOW_UPDATE) {
                    grow(stream, number(payload, 0));
                } else if (type == SETTINGS && (flags & 1) == 0) {
                    settings(payload);
                }
            }
        } catch (IOException ended) {
            end();
        }
    }

    private synchronized void end() {
        over = true;
        notifyAll();
    }

    private synchronized void grow(int stream, int more) {
        if (stream == 0) {
            connectionWindow += more;
        } else {
            streamWindow += more;
        }
        notifyAll();
    }

    private synchronized void settings(byte[] payload) {
        for (int at = 0; at < payload.length; at += 6) {
            if ((payload[at] << 8 | payload[at + 1]) == INITIAL_WINDOW_SIZE) {
                int window = number(payload, at + 2);
                streamWindow += window - initialWindow;
                initialWindow = window;
            }
        }
        notifyAll();
    }

    private static int number(byte[] bytes, int at) {
        return ((bytes[at] & 0x7f) << 24)
                | ((bytes[at + 1] & 0xff) << 16)
                | ((bytes[at + 2] & 0xff) << 8)
                | (bytes[at + 3] & 0xff);
    }

    @Override
    public void close() throws IOException {
        socket.close();
        end();
        try {
            reader.join();
            sender.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
