package io.brain.backend.cluster.election;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Revisions.ReadWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The event streams of followers. A stream is a next revision, and sends updates from the ring as
 * fast as its transport takes them; it has no queue. It omits revisions that are no longer in the
 * ring, which the follower finds in the commit log. Thread-safe.
 */
final class EventStreams {
    /** Maximum number of streams, which is more than there can be members. */
    private static final int STREAMS_MAX = 1000;

    private static final long UPDATE_BYTES = 1 << 20;
    private static final int UPDATE_REVISIONS = 1000;

    private final EventRing ring;
    private final Revisions revisions;
    private final PublishedAuth auth;
    private final BackendRuntime runtime;
    private final Duration heartbeat;
    private final LongPredicate termExpected;
    private final Supplier<LeaderTerm> term;

    /** The oldest first. */
    private final Set<Stream> streams =
            new ConcurrentSkipListSet<>(Comparator.comparingLong(stream -> stream.number));

    private final AtomicLong opened = new AtomicLong();

    /**
     * Creates the streams of a node.
     *
     * @param heartbeat maximum time between updates
     * @param termExpected true if a term of that epoch may begin soon, or its end is not stored
     *     yet: streams without a term wait
     * @param term this node's; null while it counts as no leader
     */
    EventStreams(
            EventRing ring,
            Revisions revisions,
            PublishedAuth auth,
            BackendRuntime runtime,
            Duration heartbeat,
            LongPredicate termExpected,
            Supplier<LeaderTerm> term) {
        this.ring = ring;
        this.revisions = revisions;
        this.auth = auth;
        this.runtime = runtime;
        this.heartbeat = heartbeat;
        this.termExpected = termExpected;
        this.term = term;
    }

    /** See {@link io.brain.backend.cluster.link.LeaderEndpoint#eventStream}. */
    EventStream open(long epoch, long from, EventTarget target) {
        Stream stream = new Stream(epoch, from, target);
        if (streams.size() < STREAMS_MAX) {
            streams.add(stream);
        }
        stream.ready();
        stream.scheduleHeartbeat();
        return stream;
    }

    /**
     * A member that has a stream; 0: none.
     *
     * @param wanted this member; 0: the oldest stream's of those that take updates
     */
    long reachable(long wanted) {
        return members(target -> wanted != 0 || target.isReady())
                .filter(member -> wanted == 0 || member == wanted)
                .findFirst()
                .orElse(0);
    }

    /** The same member for all streams; 0: none. */
    private long successor() {
        return members(target -> true).findFirst().orElse(0);
    }

    /** The oldest stream's first: its process has compiled more code than one that just started. */
    private LongStream members(Predicate<EventTarget> which) {
        return streams.stream()
                .map(stream -> stream.target)
                .filter(which)
                .mapToLong(EventTarget::member)
                .filter(member -> member != 0);
    }

    /** Number of streams. */
    int count() {
        return streams.size();
    }

    /** Sends what was committed, and ends the streams that have no term. */
    void wakeAll() {
        streams.forEach(Stream::ready);
    }

    /** The stream of one follower. */
    private final class Stream implements EventStream {
        private final long epoch;
        private final EventTarget target;
        private final long number = opened.getAndIncrement();
        private final AtomicBoolean awake = new AtomicBoolean();
        private volatile boolean closed;
        private volatile boolean heartbeatDue = true;

        // The rest belongs to the prompt thread.
        private long next;

        /** The last state that was sent completely; at first the follower's own. */
        private ReadWindow sent;

        /** The state that is being sent, possibly in several updates; null if none is. */
        private ReadWindow sending;

        /** The last state of authentication that was sent; null before the first. */
        private AuthState sentAuth;

        Stream(long epoch, long from, EventTarget target) {
            this.epoch = epoch;
            this.next = from;
            this.sent = new ReadWindow(new ReadPoint(from - 1, 0), -1);
            this.target = target;
        }

        @Override
        public void close() {
            closed = true;
            streams.remove(this);
        }

        /** Sends updates soon, on the prompt thread. */
        @Override
        public void ready() {
            if (awake.compareAndSet(false, true)) {
                try {
                    runtime.prompt().execute(this::send);
                } catch (RejectedExecutionException full) {
                    awake.set(false); // the next commit or heartbeat tries again
                }
            }
        }

        void scheduleHeartbeat() {
            if (!closed) {
                runtime.scheduler().schedule(heartbeat, Runnable::run, this::heartbeat);
            }
        }

        private void heartbeat() {
            heartbeatDue = true;
            ready();
            scheduleHeartbeat();
        }

        private void send() {
            awake.set(false);
            while (!closed) {
                // In this order: a term that is no longer expected has begun or failed.
                boolean expected = termExpected.test(epoch);
                LeaderTerm leading = term.get();
                if (leading == null && expected && streams.contains(this)) {
                    return; // the term's first commit continues
                }
                boolean current = leading != null && leading.fence().epoch() == epoch;
                if (!current || !streams.contains(this)) {
                    close();
                    target.end();
                    return;
                }
                if (!target.isReady()) {
                    return;
                }
                LeaderUpdate update = nextUpdate(leading);
                if (update == null) {
                    return;
                }
                target.send(update);
            }
        }

        /**
         * The next update; null if there is none. If a state takes several updates, all but the
         * last carry the read point of the state before: at the new timestamp the revisions at
         * which they end may be compacted.
         */
        private LeaderUpdate nextUpdate(LeaderTerm leading) {
            // In this order: the fence may be newer than the read point, but not older.
            if (sending == null) {
                ReadWindow now = revisions.window();
                boolean sameAuth = auth.current() == sentAuth;
                if (now.newest().equals(sent.newest()) && sameAuth && !heartbeatDue) {
                    return null;
                }
                heartbeatDue = false;
                sending = now;
            }
            Fence fence = leading.fence();
            RaisedAlarms alarms = leading.alarms();
            List<RevisionEvents> events = nextEvents(sending.newest().revision());
            if (next > sending.newest().revision()) {
                sent = sending;
                sending = null;
            }
            return new LeaderUpdate(
                    events,
                    new LeaderStatus(
                            sent.newest(),
                            fence,
                            sent.floor(),
                            alarms,
                            leading.renewal(),
                            successor(),
                            changedAuth()));
        }

        private AuthState changedAuth() {
            AuthState now = auth.current();
            AuthState changed = now == sentAuth ? null : now;
            sentAuth = now;
            return changed;
        }

        /** The events from the next revision on that fit into an update; moves past them. */
        private List<RevisionEvents> nextEvents(long last) {
            List<RevisionEvents> events = new ArrayList<>();
            long bytes = 0;
            while (next <= last && bytes < UPDATE_BYTES && events.size() < UPDATE_REVISIONS) {
                RevisionEvents found = ring.get(next);
                if (found == null) {
                    // Not in the ring: continue with its first revision.
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
