package io.brain.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Loopback ports that no outgoing connection takes before a server does. */
final class BelowEphemeral {
    private static final int FIRST = 12_000;
    private static final int LAST = 31_000;

    private BelowEphemeral() {}

    /** The first of so many ports in a row that nobody listens on at this moment. */
    static int ports(int count) {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            int free = 0;
            while (free < count && isFree(first + free)) {
                free++;
            }
            if (free == count) {
                return first;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
