package io.brain.storage.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.BitSet;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that tests start. They lie below the ephemeral range, where no
 * client's connection takes one before its server does; none is given twice. Thread-safe.
 */
public final class FreePorts {
    private static final int FIRST = 12_000;
    private static final int LAST = 31_000;
    private static final int TRIES_MAX = 10_000;
    private static final BitSet GIVEN = new BitSet();

    private FreePorts() {}

    /** A port that nobody listens on at this moment. */
    public static int next() throws IOException {
        return row(1);
    }

    /** The first of so many of these in a row. */
    public static synchronized int row(int count) throws IOException {
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            int first = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            int free = 0;
            while (free < count && !GIVEN.get(first + free) && isFree(first + free)) {
                free++;
            }
            if (free == count) {
                GIVEN.set(first, first + count);
                return first;
            }
        }
        throw new IOException("no " + count + " ports in a row are free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
