package io.brain.conformance.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.BitSet;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that are started later, and again on the same port. They lie below the
 * ephemeral range: a port from that range may be taken by an outgoing connection while its server
 * is down, even by a client that is trying to reach it. None is given twice, as its server may not
 * have started yet, or may be down, when another test looks. Thread-safe.
 */
public final class Ports {

    private static final int FIRST = 12_000;
    private static final int LAST = 31_000;
    private static final int ATTEMPTS_MAX = 10_000;

    private static final BitSet GIVEN = new BitSet();

    private Ports() {}

    /** A port that nobody listens on at this moment. */
    public static int next() throws IOException {
        return row(1);
    }

    /** The first of two ports in a row that nobody listens on at this moment. */
    public static int pair() throws IOException {
        return row(2);
    }

    private static int row(int length) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (areFree(port, length) && take(port, length)) {
                return port;
            }
        }
        throw new IOException("no free ports between " + FIRST + " and " + LAST);
    }

    private static synchronized boolean take(int first, int length) {
        if (!GIVEN.get(first, first + length).isEmpty()) {
            return false;
        }
        GIVEN.set(first, first + length);
        return true;
    }

    private static boolean areFree(int first, int length) {
        for (int port = first; port < first + length; port++) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException taken) {
                return false;
            }
        }
        return true;
    }
}
