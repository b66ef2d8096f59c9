package io.brain.server.peer;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Connections to members that do not lead: when one of them begins to lead, a follower need not
 * connect first. A dead connection is noticed ({@link DeadPeerDetector}), and made again by the
 * next {@link #keep}. Thread-safe.
 */
final class ReadyChannels implements AutoCloseable {
    /**
     * The purpose of a connection.
     *
     * @param url of the member
     * @param messageBytesMax limit of a received message
     */
    record Purpose(String url, int messageBytesMax) {}

    private final Function<Purpose, ManagedChannel> opener;
    private final Map<Purpose, ManagedChannel> channels = new HashMap<>();
    private boolean closed;

    /**
     * Creates an empty set.
     *
     * @param opener creates a channel; fails with IllegalArgumentException for an invalid URL
     */
    ReadyChannels(Function<Purpose, ManagedChannel> opener) {
        this.opener = opener;
    }

    /** Connects for these purposes, and closes all other connections. */
    synchronized void keep(Set<Purpose> wanted) {
        if (closed) {
            return;
        }
        channels.entrySet()
                .removeIf(
                        entry -> {
                            boolean gone = !wanted.contains(entry.getKey());
                            if (gone) {
                                entry.getValue().shutdownNow();
                            }
                            return gone;
                        });
        for (Purpose purpose : wanted) {
            try {
                ManagedChannel channel = channels.computeIfAbsent(purpose, opener);
                channel.resetConnectBackoff(); // which grows to two minutes
                ConnectivityState unused = channel.getState(true);
            } catch (IllegalArgumentException malformed) {
                // Reported when the member leads.
            }
        }
    }

    /** Takes a connection out; null if none is established. */
    synchronized ManagedChannel take(Purpose purpose) {
        ManagedChannel channel = channels.get(purpose);
        return channel != null && channel.getState(false) == ConnectivityState.READY
                ? channels.remove(purpose)
                : null;
    }

    @Override
    public synchronized void close() {
        closed = true;
        channels.values().forEach(ManagedChannel::shutdownNow);
        channels.clear();
    }
}
