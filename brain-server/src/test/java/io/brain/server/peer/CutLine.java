package io.brain.server.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Forwards a port to another one, until it is cut. */
final class CutLine implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int target;
    private volatile boolean cut;

    CutLine(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    /** Number of connections so far. */
    int connections() {
        return sockets.size() / 2;
    }

    /** Stops forwarding, and leaves connections open. */
    void cut() {
        cut = true;
    }

    private void accept() throws IOException {
        while (true) {
            Socket near = server.accept();
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.addAll(List.of(near, far));
            start(() -> pass(near, far));
            start(() -> pass(far, near));
        }
    }

    private void pass(Socket from, Socket to) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            if (!cut) {
                out.write(buffer, 0, n);
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (IOException closed) {
                                return; // the test ended
                            }
                        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
