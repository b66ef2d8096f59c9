package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events, and bounds the bytes that transports hold because clients have not read them,
 * summed over all streams. A stream is charged if a large response leaves its transport full, until
 * the transport takes more. Small responses are always sent: what they add is bounded per stream by
 * the transport's own threshold and {@link #SMALL_BYTES}.
 *
 * <p>Replays may fill half of the bound, so that clients that catch up and do not read leave room
 * for new events. A stream without room waits, those with new events before those with replays;
 * {@link #next} returns it when there is room. Belongs to the hub's thread.
 */
final class EventSender {
    private static final Logger LOG = LoggerFactory.getLogger(EventSender.class);

    /** A response of fewer bytes is not counted. */
    private static final int SMALL_BYTES = 8 << 10;

    /** While others wait, a charged client must read {@link #STALL_BYTES} in this time. */
    private static final Duration STALL_MAX = Duration.ofSeconds(2);

    private static final int STALL_BYTES = 64 << 10;

    /** Time between checks for clients that do not read, while others wait. */
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private final long bytesMax;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor commands;
    private final Map<StreamOutput, Charge> charges = new LinkedHashMap<>();
    private final Set<StreamOutput> waiting = new LinkedHashSet<>();
    private final Set<StreamOutput> waitingReplays = new LinkedHashSet<>();
    private long unsent;
    private boolean checking;
    private long disconnected;
    private long events;
    private long responses;

    /**
     * A sender.
     *
     * @param bytesMax bytes at which no further large response is sent; one may exceed it
     * @param commands the hub's thread
     */
    EventSender(long bytesMax, Clock clock, Scheduler scheduler, Executor commands) {
        this.bytesMax = bytesMax;
        this.clock = clock;
        this.scheduler = scheduler;
        this.commands = commands;
    }

    /** Bytes that a stream's transport holds, and when its connection last took enough. */
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
            return now - takenNanos >= STALL_MAX.toNanos();
        }
    }

    /** True if the stream's transport takes more; what it was charged for has then left. */
    boolean isReady(StreamOutput output) {
        boolean ready = output.isReady();
        if (ready) {
            release(output);
        }
        return ready;
    }

    /**
     * Sends events if the transport is ready and there is room.
     *
     * @param revision of the response's header
     * @return false if they were not sent
     */
    boolean send(Watcher watcher, long revision, List<WatchEvent> sent) {
        return isReady(watcher.output) && sendNow(watcher, revision, sent);
    }

    /** As {@link #send}, even if the transport is not ready. */
    boolean sendNow(Watcher watcher, long revision, List<WatchEvent> sent) {
        StreamOutput output = watcher.output;
        WatchRequest request = watcher.request;
        long bytes = 0;
        for (WatchEvent event : sent) {
            bytes += event.sentBytes(request.prevKv());
        }
        boolean large = bytes >= SMALL_BYTES;
        if (large && unsent >= (watcher.replaying ? replaysMax() : bytesMax)) {
            await(output, watcher.replaying);
            return false;
        }
        watcher.quiet = false;
        events += sent.size();
        responses++;
        output.respond(
                to -> to.events(watcher.id, revision, sent, request.prevKv(), request.fragment()));
        if (large && !isReady(output) && !output.isEnded()) {
            unsent += bytes;
            charges.computeIfAbsent(output, o -> new Charge(o.takenBytes(), clock.nanos())).bytes +=
                    bytes;
        }
        return true;
    }

    private void await(StreamOutput output, boolean replay) {
        if (!replay) {
            waitingReplays.remove(output);
            waiting.add(output);
        } else if (!waiting.contains(output)) {
            waitingReplays.add(output);
        }
        if (!checking) {
            checking = true;
            scheduler.schedule(CHECK_INTERVAL, commands, this::disconnectStalled);
        }
    }

    /** True if the stream was refused and has not been returned by {@link #next} since. */
    boolean isWaiting(StreamOutput output) {
        return waiting.contains(output) || waitingReplays.contains(output);
    }

    /** True if a stream waits and there is room. */
    boolean hasNext() {
        return (!waiting.isEmpty() && unsent < bytesMax)
                || (!waitingReplays.isEmpty() && unsent < replaysMax());
    }

    /** Takes out the stream that has waited longest; only if there {@link #hasNext is one}. */
    StreamOutput next() {
        Iterator<StreamOutput> oldest = (waiting.isEmpty() ? waitingReplays : waiting).iterator();
        StreamOutput output = oldest.next();
        oldest.remove();
        return output;
    }

    /** Disconnects clients that do not read, if others wait. */
    private void disconnectStalled() {
        checking = !waiting.isEmpty() || !waitingReplays.isEmpty();
        if (!checking) {
            return;
        }
        scheduler.schedule(CHECK_INTERVAL, commands, this::disconnectStalled);
        List<StreamOutput> stalled = new ArrayList<>();
        charges.forEach(
                (output, charge) -> {
                    if (charge.isStalled(output.takenBytes(), clock.nanos())) {
                        stalled.add(output);
                    }
                });
        for (StreamOutput output : stalled) {
            if (!isReady(output)) {
                LOG.warn("watch client disconnected: it does not read while others wait");
                disconnected++;
                output.stall();
            }
        }
    }

    /** Forgets a stream that has ended. */
    void remove(StreamOutput output) {
        release(output);
        waiting.remove(output);
        waitingReplays.remove(output);
    }

    private void release(StreamOutput output) {
        Charge charge = charges.remove(output);
        unsent -= charge == null ? 0 : charge.bytes;
    }

    /** Forgets all streams. */
    void clear() {
        charges.clear();
        waiting.clear();
        waitingReplays.clear();
        unsent = 0;
    }

    /** Events sent so far, once per watcher. */
    long events() {
        return events;
    }

    /** Responses sent so far. */
    long responses() {
        return responses;
    }

    WatchStats.Unsent unsent() {
        int streams = waiting.size() + waitingReplays.size();
        return new WatchStats.Unsent(unsent, bytesMax, streams, disconnected);
    }

    private long replaysMax() {
        return (bytesMax + 1) / 2;
    }
}
