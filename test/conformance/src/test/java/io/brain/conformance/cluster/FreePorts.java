package io.brain.conformance.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that are killed and started again on the same port. They lie below the
 * ephemeral range: a port from that range may be taken by an outgoing connection while its server
 * is down, even by a client that is trying to reach it.
 */
public final class FreePorts {

    private static final int FIRST = 12_000;
    private static final int LAST = 31_000;
    private static final int ATTEMPTS_MAX = 1_000;

    private FreePorts() {}

    /** A port that nobody listens on at this moment. */
    public static int next() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IOException("no free port between " + FIRST + " and " + LAST);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
