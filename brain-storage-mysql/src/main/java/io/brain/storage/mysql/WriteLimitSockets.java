package io.brain.storage.mysql;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the drivers' sockets. Their writes have the time limit of their reads, and close the socket
 * when it has passed, within a second. TCP alone waits 15 minutes for a lost peer, and for ever for
 * a stopped one. Public, because the drivers find it by its name. A socket has one writer at a
 * time; otherwise thread-safe.
 */
public final class WriteLimitSockets extends SocketFactory {
    private static final Logger log = LoggerFactory.getLogger(WriteLimitSockets.class);

    /** The limit is for so much: a large statement may take longer. */
    private static final int PIECE_BYTES = 64 << 10;

    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Sockets that are written to, and when that must have ended, in {@link System#nanoTime}. */
    private static final Map<Socket, Long> writing = new ConcurrentHashMap<>();

    static {
        Thread thread = new Thread(WriteLimitSockets::watch, "sql-write-limit");
        thread.setDaemon(true);
        thread.start();
    }

    private static void watch() {
        while (true) {
            LockSupport.parkNanos(CHECK_NANOS);
            long now = System.nanoTime();
            try {
                writing.forEach(
                        (socket, end) -> {
                            if (now - end > 0 && writing.remove(socket, end)) {
                                close(socket);
                            }
                        });
            } catch (RuntimeException | Error e) { // no memory
                log.error("cannot end a write", e);
            }
        }
    }

    /** Makes the writer fail. A socket of TLS above this one would wait for the writer. */
    private static void close(Socket socket) {
        try {
            socket.close();
            log.warn("disconnected, as no data was taken by {}", socket.getRemoteSocketAddress());
        } catch (IOException e) {
            log.warn("cannot close a connection", e);
        }
    }

    private static final class LimitedSocket extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new LimitedStream(this, super.getOutputStream());
        }
    }

    private static final class LimitedStream extends FilterOutputStream {
        private final Socket socket;

        LimitedStream(Socket socket, OutputStream out) {
            super(out);
            this.socket = socket;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int start, int length) throws IOException {
            int limit = socket.getSoTimeout(); // 0: none
            int end = start + length;
            for (int at = start; at < end; at += PIECE_BYTES) {
                if (limit > 0) {
                    writing.put(socket, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limit));
                }
                try {
                    out.write(bytes, at, Math.min(PIECE_BYTES, end - at));
                } finally {
                    writing.remove(socket);
                }
            }
        }
    }

    @Override
    public Socket createSocket() {
        return new LimitedSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw unused();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw unused();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw unused();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw unused();
    }

    private static RuntimeException unused() {
        return new UnsupportedOperationException("the drivers connect their sockets");
    }
}
