package io.brain.conformance.members;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Passes connections to a port on, each over the link that it belongs to. */
final class Relay implements AutoCloseable {

    private static final int CONNECT_MILLIS_MAX = 2_000;
    private static final int PIECE_BYTES_MAX = 64 << 10;
    private static final int CONNECTIONS_MAX = 2_000;
    private static final long PAUSE_NANOS = 10_000_000;

    private final ServerSocket server;
    private final int target;
    private final Function<Socket, Link> link;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /**
     * @param port to listen on; 0 for any
     * @param target where to
     * @param link of a connection that was accepted
     */
    Relay(int port, int target, Function<Socket, Link> link) throws IOException {
        this.server = new ServerSocket(port, 200, InetAddress.getLoopbackAddress());
        this.target = target;
        this.link = link;
        daemon("relay-" + target, this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** HOST:PORT of this relay. */
    String address() {
        return "127.0.0.1:" + port();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                if (connections.size() >= CONNECTIONS_MAX) {
                    client.close();
                } else {
                    daemon("relay-to-" + target, () -> serve(client));
                }
            } catch (IOException closedOrOutOfFiles) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void serve(Socket client) {
        Link over = link.apply(client);
        try (Connection connection = new Connection(client, new Socket(), over)) {
            if (!over.join(connection)) {
                return;
            }
            connections.add(connection);
            over.pass();
            connection.connect(target);
            Thread back = daemon("relay-from-" + target, connection::backwards);
            connection.forwards();
            back.join();
        } catch (IOException | InterruptedException ended) {
            // One side is gone, or the link is: closing tells the other.
        }
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException closed) {
            // Nothing else listens there.
        }
        connections.forEach(Connection::close);
    }

    private final class Connection implements Closeable {
        private final Socket client;
        private final Socket server;
        private final Link over;

        private Connection(Socket client, Socket server, Link over) {
            this.client = client;
            this.server = server;
            this.over = over;
        }

        private void connect(int port) throws IOException {
            server.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    CONNECT_MILLIS_MAX);
            server.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
        }

        private void forwards() {
            pump(client, server);
        }

        private void backwards() {
            pump(server, client);
        }

        private void pump(Socket from, Socket to) {
            byte[] piece = new byte[PIECE_BYTES_MAX];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                    over.pass();
                    out.write(piece, 0, n);
                }
                to.shutdownOutput();
            } catch (IOException | InterruptedException ended) {
                close();
            }
        }

        @Override
        public void close() {
            over.leave(this);
            connections.remove(this);
            for (Socket socket : new Socket[] {client, server}) {
                try {
                    socket.close();
                } catch (IOException closed) {
                    // It is closed.
                }
            }
        }
    }
}
