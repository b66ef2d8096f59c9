package io.brain.backend.cluster.election;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.ReadWindow;
import io.brain.backend.store.Revisions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The streams of commits that followers have opened on this node. Each is a number, the next
 * revision, and is fed from the ring as fast as its transport takes it: there is no queue. What has
 * left the ring meanwhile is left out; the follower finds it in the commit log. Thread-safe.
 */
final class EventStreams implements CommitListener {
    /** Streams at a time; more than there can be members. */
    private static final int TAILS_MAX = 1000;

    private static final long UPDATE_BYTES = 1 << 20;
    private static final int UPDATE_REVISIONS = 1000;

    private final EventRing ring;
    private final Revisions revisions;
    private final BackendRuntime runtime;
    private final Duration heartbeat;
    private final BooleanSupplier beginning;
    private final Supplier<LeaderTerm> term;
    private final Set<Tail> tails = ConcurrentHashMap.newKeySet();

    /**
     * No streams yet.
     *
     * @param heartbeat a follower hears something at least so often
     * @param beginning a term is about to begin: streams wait for it
     * @param term this node's; null while it does not lead
     */
    EventStreams(
            EventRing ring,
            Revisions revisions,
            BackendRuntime runtime,
            Duration heartbeat,
            BooleanSupplier beginning,
            Supplier<LeaderTerm> term) {
        this.ring = ring;
        this.revisions = revisions;
        this.runtime = runtime;
        this.heartbeat = heartbeat;
        this.beginning = beginning;
        this.term = term;
    }

    /** See {@link io.brain.backend.cluster.link.LeaderSide#tail}. */
    TailSource open(long epoch, long from, TailTarget target) {
        Tail tail = new Tail(epoch, from, target);
        if (tails.size() < TAILS_MAX) {
            tails.add(tail);
        }
        tail.wake();
        tail.beatLater();
        return tail;
    }

    /** How many followers listen. */
    int count() {
        return tails.size();
    }

    /** The ring has them already. */
    @Override
    public void events(RevisionEvents events) {}

    @Override
    public void committed(ReadPoint point) {
        tails.forEach(Tail::wake);
    }

    /** Has the streams end that find no term any more. */
    void endAll() {
        tails.forEach(Tail::wake);
    }

    /** One follower's stream. */
    private final class Tail implements TailSource {
        private final long epoch;
        private final TailTarget target;
        private final AtomicBoolean awake = new AtomicBoolean();
        private volatile boolean closed;
        private volatile boolean beatDue = true;

        // The rest belongs to the prompt thread.
        private long next;

        /** What was sent whole; at first what the follower had when it opened the stream. */
        private ReadWindow sent;

        /** What is being sent, in several updates if need be; null between two. */
        private ReadWindow sending;

        Tail(long epoch, long from, TailTarget target) {
            this.epoch = epoch;
            this.next = from;
            this.sent = new ReadWindow(new ReadPoint(from - 1, 0), -1);
            this.target = target;
        }

        @Override
        public void ready() {
            wake();
        }

        @Override
        public void close() {
            closed = true;
            tails.remove(this);
        }

        void wake() {
            if (awake.compareAndSet(false, true)) {
                try {
                    runtime.prompt().execute(this::pump);
                } catch (RejectedExecutionException full) {
                    awake.set(false); // the next commit or heartbeat tries again
                }
            }
        }

        void beatLater() {
            if (!closed) {
                runtime.scheduler().schedule(heartbeat, Runnable::run, this::beat);
            }
        }

        private void beat() {
            beatDue = true;
            wake();
            beatLater();
        }

        private void pump() {
            awake.set(false);
            while (!closed) {
                boolean soon = beginning.getAsBoolean(); // first: the term is there before it ends
                LeaderTerm leading = term.get();
                if (leading == null && soon && tails.contains(this)) {
                    return; // the term wakes it
                }
                boolean meant = leading != null && leading.fence().epoch() == epoch;
                if (!meant || !tails.contains(this)) {
                    close();
                    target.end();
                    return;
                }
                if (!target.isReady()) {
                    return;
                }
                TailUpdate update = next(leading);
                if (update == null) {
                    return;
                }
                target.send(update);
            }
        }

        /**
         * The next update; null if there is nothing to tell. One that is cut carries the read point
         * of the last whole one: at the new timestamp the revisions that it ends with may be
         * compacted.
         */
        private TailUpdate next(LeaderTerm leading) {
            // In this order: what is said of the fence may be later than the point.
            if (sending == null) {
                ReadWindow now = revisions.window();
                if (now.newest().equals(sent.newest()) && !beatDue) {
                    return null;
                }
                beatDue = false;
                sending = now;
            }
            Fence fence = leading.fence();
            RaisedAlarms alarms = leading.alarms();
            List<RevisionEvents> events = take(sending.newest().revision());
            if (next > sending.newest().revision()) {
                sent = sending;
                sending = null;
            }
            return new TailUpdate(events, new Standing(sent.newest(), fence, sent.floor(), alarms));
        }

        /** Events from the next revision on, as much as goes into an update; moves on behind it. */
        private List<RevisionEvents> take(long last) {
            List<RevisionEvents> events = new ArrayList<>();
            long bytes = 0;
            while (next <= last && bytes < UPDATE_BYTES && events.size() < UPDATE_REVISIONS) {
                RevisionEvents found = ring.get(next);
                if (found == null) {
                    // Whatever is below has left, or was never there.
                    next = Math.min(Math.max(next + 1, ring.first()), last + 1);
                } else {
                    events.add(found);
                    bytes += found.weight();
                    next++;
                }
            }
            return events;
        }
    }
}
