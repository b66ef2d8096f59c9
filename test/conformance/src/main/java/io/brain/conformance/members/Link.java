package io.brain.conformance.members;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What may happen to all that passes between two parties. Thread-safe. */
public final class Link {

    /** How a link is. */
    public enum State {
        OPEN,
        /** Bytes take a while. */
        SLOW,
        /** Bytes wait, connections stay. */
        HELD,
        /** Connections are ended, and new ones refused. */
        CUT
    }

    private final String name;
    private final Set<Closeable> connections = new HashSet<>();
    private State state = State.OPEN;
    private long delayMillis;

    Link(String name) {
        this.name = name;
    }

    /** Both parties. */
    public String name() {
        return name;
    }

    /** Opens, holds or cuts it. */
    public synchronized void set(State to) {
        set(to, 0);
    }

    /** Every piece of up to 64 KiB takes this much longer. */
    public synchronized void slow(long millis) {
        set(State.SLOW, millis);
    }

    private void set(State to, long millis) {
        state = to;
        delayMillis = millis;
        if (to == State.CUT) {
            // Each leaves as it is closed.
            List.copyOf(connections).forEach(Link::closeQuietly);
            connections.clear();
        }
        notifyAll();
    }

    /** False if there is no way through. */
    synchronized boolean join(Closeable connection) {
        if (state == State.CUT) {
            return false;
        }
        connections.add(connection);
        return true;
    }

    synchronized void leave(Closeable connection) {
        connections.remove(connection);
    }

    /** Returns when a piece may go on; fails when the link was cut. */
    void pass() throws IOException, InterruptedException {
        long delay;
        synchronized (this) {
            while (state == State.HELD) {
                wait();
            }
            if (state == State.CUT) {
                throw new IOException("cut");
            }
            delay = delayMillis;
        }
        if (delay > 0) {
            Thread.sleep(delay);
        }
    }

    private static void closeQuietly(Closeable connection) {
        try {
            connection.close();
        } catch (IOException gone) {
            // That is what was wanted.
        }
    }
}
