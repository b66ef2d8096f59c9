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
import java.util.function.ToLongFunction;

/**
 * Limits the bytes of events that transports hold, over all streams. A stream is charged if a large
 * response leaves its transport full, and released once the transport accepts more. Small responses
 * are not counted: per stream, the transport's own threshold and {@link #SMALL_BYTES} limit them.
 *
 * <p>History may fill half of the budget, so that clients that catch up and do not read leave room
 * for new events. A refused stream waits, those with new events before those with history; {@link
 * #next} returns it when there is room. Not thread-safe.
 */
final class SendBudget<S> {
    /** Smaller responses are not counted. */
    static final int SMALL_BYTES = 8 << 10;

    /**
     * A stream is stalled if its connection accepts less than {@link #STALL_BYTES} in this time.
     */
    private static final Duration STALL_TIME = Duration.ofSeconds(2);

    private static final int STALL_BYTES = 64 << 10;

    private final long bytesMax;
    private final Clock clock;
    private final ToLongFunction<S> takenBytes;

    /** In the order of their first charge. */
    private final Map<S, Charge> charges = new LinkedHashMap<>();

    private final Set<S> waitingLive = new LinkedHashSet<>();
    private final Set<S> waitingHistory = new LinkedHashSet<>();
    private long held;
    private long dropped;
    private long eventsSent;
    private long responsesSent;

    /**
     * An empty budget.
     *
     * @param bytesMax bytes at which large responses wait; one may exceed it
     * @param takenBytes bytes that a stream's connection accepted so far
     */
    SendBudget(long bytesMax, Clock clock, ToLongFunction<S> takenBytes) {
        this.bytesMax = bytesMax;
        this.clock = clock;
        this.takenBytes = takenBytes;
    }

    /**
     * True if a response may be sent; if not, the stream waits for room.
     *
     * @param history true if it replays the past
     */
    boolean admits(S stream, long bytes, boolean history) {
        if (bytes < SMALL_BYTES || held < (history ? historyMax() : bytesMax)) {
            return true;
        }
        if (!history) {
            waitingHistory.remove(stream);
            waitingLive.add(stream);
        } else if (!waitingLive.contains(stream)) {
            waitingHistory.add(stream);
        }
        return false;
    }

    /** Counts a response, for metrics. */
    void countSent(int events) {
        eventsSent += events;
        responsesSent++;
    }

    /** A response left the stream's transport full. */
    void charge(S stream, long bytes) {
        Charge charge =
                charges.computeIfAbsent(
                        stream, one -> new Charge(takenBytes.applyAsLong(one), clock.nanos()));
        charge.bytes += bytes;
        held += bytes;
    }

    /** The stream's transport has sent or dropped what the stream was charged for. */
    void release(S stream) {
        Charge charge = charges.remove(stream);
        held -= charge == null ? 0 : charge.bytes;
    }

    /** The stream has ended. */
    void forget(S stream) {
        release(stream);
        waitingLive.remove(stream);
        waitingHistory.remove(stream);
    }

    /** All streams have ended. */
    void clear() {
        charges.clear();
        waitingLive.clear();
        waitingHistory.clear();
        held = 0;
    }

    /** True if the stream was refused and not returned by {@link #next} since. */
    boolean isWaiting(S stream) {
        return waitingLive.contains(stream) || waitingHistory.contains(stream);
    }

    /** True if any stream waits. */
    boolean hasWaiting() {
        return !waitingLive.isEmpty() || !waitingHistory.isEmpty();
    }

    /** True if a stream waits and there is room. */
    boolean hasNext() {
        return canFeed(waitingLive, bytesMax) || canFeed(waitingHistory, historyMax());
    }

    /** Removes the stream that has waited longest; null if none waits or there is no room. */
    S next() {
        if (canFeed(waitingLive, bytesMax)) {
            return removeOldest(waitingLive);
        }
        return canFeed(waitingHistory, historyMax()) ? removeOldest(waitingHistory) : null;
    }

    /** The charged streams whose connections accept too little. */
    List<S> stalled() {
        List<S> stalled = new ArrayList<>();
        charges.forEach(
                (stream, charge) -> {
                    if (charge.isStalled(takenBytes.applyAsLong(stream), clock.nanos())) {
                        stalled.add(stream);
                    }
                });
        return stalled;
    }

    /** Counts a stream that ended because it was stalled, for metrics. */
    void countDropped() {
        dropped++;
    }

    long eventsSent() {
        return eventsSent;
    }

    long responsesSent() {
        return responsesSent;
    }

    WatchStats.Unsent stats() {
        int waiting = waitingLive.size() + waitingHistory.size();
        return new WatchStats.Unsent(held, bytesMax, waiting, dropped);
    }

    private boolean canFeed(Set<S> waiting, long max) {
        return !waiting.isEmpty() && held < max;
    }

    private static <S> S removeOldest(Set<S> waiting) {
        Iterator<S> oldest = waiting.iterator();
        S stream = oldest.next();
        oldest.remove();
        return stream;
    }

    private long historyMax() {
        return (bytesMax + 1) / 2;
    }

    /** Bytes that a stream's transport holds, and when its connection last accepted enough. */
    private static final class Charge {
        private long bytes;
        private long taken;
        private long takenNanos;

        Charge(long taken, long now) {
            this.taken = taken;
            this.takenNanos = now;
        }

        boolean isStalled(long takenNow, long now) {
            if (takenNow - taken >= STALL_BYTES) {
                taken = takenNow;
                takenNanos = now;
            }
            return now - takenNanos >= STALL_TIME.toNanos();
        }
    }
}
