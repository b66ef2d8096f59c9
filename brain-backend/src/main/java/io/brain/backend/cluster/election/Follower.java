package io.brain.backend.cluster.election;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.cluster.link.TailSink;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does while another leads: it keeps a link to the leader, over which calls go, and
 * takes in the leader's stream of commits as if it had made them. While the leader is silent it
 * takes what there is to know from the store.
 *
 * <p>{@link #follow} and {@link #stop} belong to the elector's thread; what is published is
 * published on the sequencer's, which is the publisher's of a leader too.
 */
public final class Follower {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    /** A link that broke is opened again no sooner. */
    private static final Duration LINK_PAUSE = Duration.ofMillis(500);

    /** Silence, in times of what ends the contact, after which a link is given up. */
    private static final int SILENT_CONTACTS = 2;

    private final TermContext context;
    private final EventRing ring;
    private final Peers peers;
    private final BackendRuntime runtime;
    private final Revisions revisions;
    private final CommitListener listener;
    private final long contactNanos;
    private final long namedNanos;
    private final Runnable news;

    /** The link; null while none is wanted. Changed on the elector's thread. */
    private volatile Link link;

    /** What a leader told last. */
    private volatile Standing standing;

    /** When a leader told something last. */
    private volatile Heard heard;

    private final AtomicReference<RaisedAlarms> alarms =
            new AtomicReference<>(RaisedAlarms.UNKNOWN);

    /** False while this node leads, or is about to: then nobody else's news count. */
    private volatile boolean following;

    private boolean reading;

    /** The last leadership that was followed; on the sequencer's thread. */
    private long followedEpoch;

    /**
     * Follows nobody yet.
     *
     * @param ring what the leader tells of goes there, through the context's listener
     * @param news is run, by any thread, when contact with the leader begins or ends
     */
    Follower(
            TermContext context,
            EventRing ring,
            Peers peers,
            ElectionSettings settings,
            Runnable news) {
        this.context = context;
        this.ring = ring;
        this.peers = peers;
        this.runtime = context.runtime();
        this.revisions = context.store().revisions();
        this.listener = context.listener();
        this.contactNanos = settings.contact().toNanos();
        this.namedNanos = settings.named().toNanos();
        this.news = news;
    }

    /** Calls to the leader; null while it is silent. Any thread. */
    public Leader leader() {
        Link now = link;
        return now != null && now.isInContact() ? now.calls : null;
    }

    /**
     * The leader's member id; 0 if none is known. One that is silent is named for as long as nobody
     * else can lead, as an etcd names one until its election time is over: who looks for a leader
     * meanwhile had better wait for the next one here. Any thread.
     */
    public long leaderId() {
        Link now = link;
        Heard last = heard;
        return now != null
                        && last != null
                        && now.record.sameTerm(last.leader)
                        && runtime.clock().nanos() - last.at < namedNanos
                ? now.record.memberId()
                : 0;
    }

    /** What a leader told last; null before one told anything. Any thread. */
    public Standing standing() {
        return standing;
    }

    /** The newest word of a leader's about alarms. Any thread. */
    public RaisedAlarms alarms() {
        return alarms.get();
    }

    /** Takes in what a leader answered about alarms. Any thread. */
    public void learn(RaisedAlarms told) {
        alarms.accumulateAndGet(told, RaisedAlarms::newer);
    }

    /** True if the link to the leader has ended, and is not opened again yet. */
    boolean isLinkBroken() {
        Link now = link;
        return now != null && now.ended;
    }

    /** Follows a leader, if it is not followed already; null: there is none. */
    void follow(long clusterId, LeaderRecord record) {
        following = true;
        Link now = link;
        if (record == null) {
            closeLink();
            readStore();
            return;
        }
        if (now != null && now.serves(record)) {
            if (!now.isInContact()) {
                readStore();
            }
            return;
        }
        LeaderId id = new LeaderId(clusterId, record.memberId(), record.epoch());
        Link next = new Link(record, peers.connect(id, record.peerUrls()));
        link = next; // at once: who asks meanwhile is told of the same leader
        if (now != null) {
            now.close();
        }
        next.open();
        readStore();
    }

    /** Takes nothing in any more. */
    void stop() {
        following = false;
        closeLink();
    }

    private void closeLink() {
        Link now = link;
        link = null;
        if (now != null) {
            now.close();
        }
    }

    /** Takes over what the store says, one read at a time. */
    private void readStore() {
        if (reading) {
            return;
        }
        reading = true;
        runtime.takeover()
                .execute(
                        () -> {
                            StoreState state = read();
                            runtime.elector().execute(() -> reading = false);
                            if (state != null) {
                                runtime.sequencer().execute(() -> publish(state));
                            }
                        });
    }

    private StoreState read() {
        try {
            return StoreState.read(context.store().storage(), context.store().coder());
        } catch (RuntimeException away) {
            LOG.warn("the store cannot be read now: {}", away.getMessage());
            return null;
        }
    }

    /** On the sequencer's thread. */
    private void publish(StoreState state) {
        if (following) {
            publish(state.point(), state.compact().floor());
        }
    }

    /** Shows a state that the leader named as one that can be read. Any thread. */
    public void show(ReadPoint point) {
        runtime.sequencer()
                .execute(
                        () -> {
                            if (following) {
                                publish(point, -1);
                            }
                        });
    }

    private void publish(ReadPoint point, long floor) {
        if (revisions.publish(point, floor)) {
            listener.committed(revisions.committed());
        }
    }

    /**
     * The last word of a leader.
     *
     * @param at in the clock's nanoseconds
     */
    private record Heard(LeaderRecord leader, long at) {}

    /** The link to one leader. */
    private final class Link implements TailSink {
        private final LeaderRecord record;
        private final LeaderLink calls;
        private final long opened = runtime.clock().nanos();
        private volatile boolean closed;
        private volatile boolean ended;
        private volatile boolean met;
        private volatile long lastUpdate = opened;

        Link(LeaderRecord record, LeaderLink calls) {
            this.record = record;
            this.calls = calls;
        }

        void open() {
            calls.tail(revisions.committed().revision() + 1, this);
        }

        void close() {
            closed = true;
            calls.close();
        }

        /**
         * True if the link leads to that leader, and is not broken or is too young to be redone.
         * One that says nothing for so long is as good as broken: nobody may ever tell that it is.
         */
        boolean serves(LeaderRecord other) {
            long now = runtime.clock().nanos();
            boolean young = now - opened < LINK_PAUSE.toNanos();
            boolean silent = now - lastUpdate > SILENT_CONTACTS * contactNanos;
            return record.sameTerm(other) && (young || (!ended && !silent));
        }

        boolean isInContact() {
            return met && !ended && runtime.clock().nanos() - lastUpdate < contactNanos;
        }

        @Override
        public void update(TailUpdate update, Runnable taken) {
            runtime.sequencer()
                    .execute(
                            () -> {
                                if (!closed && !ended && link == this) {
                                    take(update);
                                    taken.run();
                                }
                            });
        }

        private void take(TailUpdate update) {
            if (update.standing().fence().epoch() != record.epoch()) {
                LOG.warn(
                        "the server at {} leads in epoch {}, not in {}: its stream is not taken",
                        record.peerUrls(),
                        update.standing().fence().epoch(),
                        record.epoch());
                calls.close();
                ended();
                return;
            }
            for (RevisionEvents events : update.events()) {
                if (events.revision() > ring.last()) {
                    listener.events(events);
                }
            }
            Standing told = update.standing();
            publish(told.point(), told.floor());
            standing = told;
            learn(told.alarms());
            lastUpdate = runtime.clock().nanos();
            heard = new Heard(record, lastUpdate);
            if (!met) {
                met = true;
                if (record.epoch() != followedEpoch) { // else the link to it was opened again
                    followedEpoch = record.epoch();
                    runtime.listener().leaderFollowed();
                }
                LOG.info(
                        "following member {} in epoch {}, at revision {}",
                        Long.toHexString(record.memberId()),
                        record.epoch(),
                        told.point().revision());
                news.run();
            }
        }

        @Override
        public void ended() {
            ended = true;
            if (!closed && Objects.equals(link, this)) {
                news.run();
            }
        }
    }
}
