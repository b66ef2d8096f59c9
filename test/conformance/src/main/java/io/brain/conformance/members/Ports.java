package io.brain.conformance.members;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that are started again on the same port. They lie below the ephemeral
 * range: a port from that range may be taken by an outgoing connection while its server is down.
 */
final class Ports {

    private static final int FIRST = 12_000;
    private static final int LAST = 31_000;
    private static final int ATTEMPTS_MAX = 1_000;

    private Ports() {}

    /** The first of two ports in a row that nobody listens on at this moment. */
    static int pair() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST / 2, LAST / 2) * 2;
            if (isFree(port) && isFree(port + 1)) {
                return port;
            }
        }
        throw new IOException("no free ports between " + FIRST + " and " + LAST);
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
