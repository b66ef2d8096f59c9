package io.brain.backend.watch;

import io.brain.backend.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bytes of events that were handed to transports and have not left yet, summed over all streams. A
 * stream is charged if a large response leaves its transport full, and released once the transport
 * takes more. Small responses need no room: what they add is bounded per stream by the transport's
 * own threshold and {@link #SMALL_BYTES}.
 *
 * <p>History may fill half of the budget, so that clients that catch up and do not read leave room
 * for live events. A stream that is refused waits, those with live events before those with
 * history; {@link #next} hands it out when there is room. Belongs to the hub's thread.
 */
final class SendBudget {
    /** A response of fewer bytes is not counted. */
    static final int SMALL_BYTES = 8 << 10;

    /** While others wait, a charged stream's connection must take something in this time. */
    static final Duration STALL_MAX = Duration.ofSeconds(2);

    /** Fewer bytes in that time are nothing. */
    static final int STALL_BYTES = 64 << 10;

    /** Time between looks for clients that do not read, while others wait. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final long bytesMax;
    private final Clock clock;
    private final WatchHub hub;

    /** In the order in which they were charged first. */
    private final Map<ServerWatchStream, Charge> charges = new LinkedHashMap<>();

    private final Set<ServerWatchStream> waitingLive = new LinkedHashSet<>();
    private final Set<ServerWatchStream> waitingHistory = new LinkedHashSet<>();
    private long held;
    private long dropped;
    private boolean looking;

    /** What a stream's transport holds, and when its connection took something last. */
    private static final class Charge {
        private long bytes;
        private long taken;
        private long takenNanos;

        Charge(long taken, long now) {
            this.taken = taken;
            this.takenNanos = now;
        }

        /** True if the connection took too little since the last time that it took enough. */
        boolean isStalled(long takenNow, long now) {
            if (takenNow - taken >= STALL_BYTES) {
                taken = takenNow;
                takenNanos = now;
            }
            return now - takenNanos >= STALL_MAX.toNanos();
        }
    }

    /**
     * An empty budget.
     *
     * @param bytesMax bytes at which no further large response is sent; one may exceed it
     */
    SendBudget(long bytesMax, Clock clock, WatchHub hub) {
        this.bytesMax = bytesMax;
        this.clock = clock;
        this.hub = hub;
    }

    /**
     * True if a response may be sent; if not, the stream waits for room.
     *
     * @param history true for a watcher that replays the past
     */
    boolean admits(ServerWatchStream stream, long bytes, boolean history) {
        if (bytes < SMALL_BYTES || held < (history ? historyMax() : bytesMax)) {
            return true;
        }
        if (!history) {
            waitingHistory.remove(stream);
            waitingLive.add(stream);
        } else if (!waitingLive.contains(stream)) {
            waitingHistory.add(stream);
        }
        if (!looking) {
            looking = true;
            hub.later(LOOK, this::dropStalled);
        }
        return false;
    }

    /** A response left the stream's transport full. */
    void charge(ServerWatchStream stream, long bytes) {
        held += bytes;
        charges.computeIfAbsent(stream, one -> new Charge(one.takenBytes(), clock.nanos())).bytes +=
                bytes;
    }

    /** The stream's transport took what it was charged for, or dropped it. */
    void release(ServerWatchStream stream) {
        Charge charge = charges.remove(stream);
        held -= charge == null ? 0 : charge.bytes;
    }

    /** The stream has ended. */
    void forget(ServerWatchStream stream) {
        release(stream);
        waitingLive.remove(stream);
        waitingHistory.remove(stream);
    }

    /** Forgets all streams. */
    void clear() {
        charges.clear();
        waitingLive.clear();
        waitingHistory.clear();
        held = 0;
    }

    /** True if the stream was refused and there was no room since. */
    boolean isWaiting(ServerWatchStream stream) {
        return waitingLive.contains(stream) || waitingHistory.contains(stream);
    }

    /** True if a stream waits and there is room. */
    boolean hasNext() {
        return canFeed(waitingLive, bytesMax) || canFeed(waitingHistory, historyMax());
    }

    private boolean canFeed(Set<ServerWatchStream> waiting, long max) {
        return !waiting.isEmpty() && held < max;
    }

    /** Takes out the stream that has waited longest; null if none waits or there is no room. */
    ServerWatchStream next() {
        if (canFeed(waitingLive, bytesMax)) {
            return takeOldest(waitingLive);
        }
        return canFeed(waitingHistory, historyMax()) ? takeOldest(waitingHistory) : null;
    }

    private static ServerWatchStream takeOldest(Set<ServerWatchStream> waiting) {
        Iterator<ServerWatchStream> oldest = waiting.iterator();
        ServerWatchStream stream = oldest.next();
        oldest.remove();
        return stream;
    }

    /** Ends charged streams whose connections take nothing, if others wait. */
    private void dropStalled() {
        looking = !waitingLive.isEmpty() || !waitingHistory.isEmpty();
        if (!looking) {
            return;
        }
        hub.later(LOOK, this::dropStalled);
        List<ServerWatchStream> stalled = new ArrayList<>();
        long now = clock.nanos();
        charges.forEach(
                (stream, charge) -> {
                    if (charge.isStalled(stream.takenBytes(), now)) {
                        stalled.add(stream);
                    }
                });
        for (ServerWatchStream stream : stalled) {
            if (!stream.isReady()) {
                dropped++;
                hub.stalled(stream);
            }
        }
    }

    /** What it holds now. */
    SendStats stats() {
        return new SendStats(held, bytesMax, waitingLive.size() + waitingHistory.size(), dropped);
    }

    private long historyMax() {
        return (bytesMax + 1) / 2;
    }
}
