package io.brain.storage.tikv;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A link to a port of this machine that can be cut. Threads: two per connection, all daemons. */
final class Relay implements AutoCloseable {
    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile boolean cut;

    Relay(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** How many connections were accepted so far. */
    int connections() {
        return connections.get();
    }

    /** Ends what is connected; what connects from now on is ended too. */
    void cut() {
        cut = true;
        open.forEach(Relay::end);
    }

    void heal() {
        cut = false;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        open.forEach(Relay::end);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket near = listening.accept();
                open.add(near);
                connections.incrementAndGet();
                if (cut) {
                    end(near);
                    continue;
                }
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                open.add(far);
                start(() -> pump(near, far));
                start(() -> pump(far, near));
            } catch (IOException e) {
                // The listener was closed, or nobody is there: the next one may do better.
            }
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[16 << 10];
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int n = in.read(buffer); n >= 0 && !cut; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
        } catch (IOException ended) {
            // By either side, or by a cut.
        }
        end(from);
        end(to);
        open.remove(from);
        open.remove(to);
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }
}
