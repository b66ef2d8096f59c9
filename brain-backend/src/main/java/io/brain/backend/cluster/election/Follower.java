package io.brain.backend.cluster.election;

import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderContact;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a leader on another node: it holds the link for calls, and publishes the leader's event
 * stream on this node as the leader publishes its own commits. While the leader sends nothing, it
 * publishes what it reads from the store.
 *
 * <p>{@link #follow} and {@link #stop} belong to the elector's thread. It publishes on the
 * sequencer's, as a leader does.
 */
public final class Follower {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    /** Minimum time before a broken link is replaced. */
    private static final Duration LINK_PAUSE = Duration.ofMillis(500);

    /** Contact timeouts without an update after which a link is replaced. */
    private static final int SILENT_CONTACTS = 2;

    private final EventRing ring;
    private final Peers peers;
    private final BackendRuntime runtime;
    private final Store store;
    private final Revisions revisions;
    private final PublishedAuth auth;
    private final CommitListener listener;
    private final ElectionSettings settings;
    private final Runnable onContact;
    private final Runnable onEnd;

    /** The link; null without a leader. Changed on the elector's thread. */
    private volatile Link link;

    private volatile Fence fence = new Fence(0, 0, 0, 0);
    private volatile LeaderContact lastContact;

    private final AtomicReference<RaisedAlarms> alarms =
            new AtomicReference<>(RaisedAlarms.UNKNOWN);

    /** False while this node leads or is promoted, when updates from others do not count. */
    private volatile boolean active;

    private boolean reading;

    /** The epoch of the last leader; on the sequencer's thread. */
    private long followedEpoch;

    /**
     * Creates a follower without a leader.
     *
     * @param ring filled by the context's listener
     * @param onContact called by any thread when contact with a leader begins
     * @param onEnd called by any thread when it ends
     */
    Follower(
            TermContext context,
            EventRing ring,
            Peers peers,
            ElectionSettings settings,
            Runnable onContact,
            Runnable onEnd) {
        this.ring = ring;
        this.peers = peers;
        this.runtime = context.runtime();
        this.store = context.store();
        this.revisions = store.revisions();
        this.auth = context.auth();
        this.listener = context.listener();
        this.settings = settings;
        this.onContact = onContact;
        this.onEnd = onEnd;
    }

    /** The leader for calls; null without contact. Any thread. */
    public Leader leader() {
        Link now = link;
        return now != null && now.isInContact() ? now.calls : null;
    }

    /**
     * The leader's member id; 0 without a leader. Without contact a leader is still reported until
     * another node can lead, as in etcd until the election timeout: clients that look for a leader
     * should wait for the next one here. Any thread.
     */
    public long leaderId() {
        Link now = link;
        LeaderContact last = lastContact;
        return now != null
                        && last != null
                        && now.record.sameTerm(last.leader())
                        && runtime.clock().nanos() - last.nanos()
                                < now.times.leaderTimeout().toNanos()
                ? now.record.memberId()
                : 0;
    }

    /** The fence in the last update of a leader; all zero before the first. Any thread. */
    Fence fence() {
        return fence;
    }

    /** The newest alarms from a leader. Any thread. */
    public RaisedAlarms alarms() {
        return alarms.get();
    }

    /** The newest known state of authentication. Any thread. */
    public PublishedAuth auth() {
        return auth;
    }

    /** Takes alarms from a leader. Any thread. */
    public void learn(RaisedAlarms received) {
        alarms.accumulateAndGet(received, RaisedAlarms::newer);
    }

    /** True if the leader became silent a short time ago: soon there may be another. */
    boolean lostContact() {
        LeaderContact last = lastContact;
        long since = last == null ? Long.MAX_VALUE : runtime.clock().nanos() - last.nanos();
        return untilSilent().isZero() && since < settings.contactTimeout().toNanos();
    }

    /** Time until the leader is silent if it sends nothing more; zero: it is. Any thread. */
    public Duration untilSilent() {
        Link now = link;
        if (now == null) {
            return settings.silence();
        }
        long left = now.times.silence().toNanos() - now.silentNanos();
        return now.ended ? Duration.ZERO : Duration.ofNanos(Math.max(0, left));
    }

    /** The last update of a leader; null before the first. Any thread. */
    LeaderContact lastContact() {
        return lastContact;
    }

    /** Follows a leader, if it does not already; null: there is none. */
    void follow(long clusterId, LeaderRecord record) {
        active = true;
        Link now = link;
        if (record == null) {
            closeLink();
            readStore();
        } else if (now == null || !now.serves(record)) {
            LeaderId id = new LeaderId(clusterId, record.memberId(), record.epoch());
            link = new Link(record, peers.connect(id, record.peerUrls()));
            if (now != null) { // after the new link, so that leaderId() does not change meanwhile
                now.close();
            }
            link.open();
        } else if (!now.isInContact()) {
            readStore();
        }
    }

    /** Stops following. */
    void stop() {
        active = false;
        closeLink();
    }

    private void closeLink() {
        Link now = link;
        link = null;
        if (now != null) {
            now.close();
        }
    }

    /** Publishes the state of the store; one read at a time. */
    private void readStore() {
        if (reading) {
            return;
        }
        reading = true;
        CompletableFuture<StoreState> read =
                CompletableFuture.supplyAsync(
                        () -> {
                            // In this order: the authentication is not older than the state.
                            StoreState state = StoreState.read(store.storage(), store.coder());
                            auth.publish(StoredAuth.read(store, auth.current()));
                            return state;
                        },
                        runtime.takeover());
        Futures.onEnd(
                read,
                (state, failure) -> {
                    runtime.elector().execute(() -> reading = false);
                    if (failure == null) {
                        publishIfActive(state.point(), state.compact().floor());
                    } else {
                        LOG.warn(
                                "store read failed error={}", Failures.cause(failure).getMessage());
                    }
                });
    }

    /** Publishes a read point of the leader. Any thread. */
    public void publish(ReadPoint point) {
        publishIfActive(point, -1);
    }

    private void publishIfActive(ReadPoint point, long floor) {
        runtime.sequencer()
                .execute(
                        () -> {
                            if (active) {
                                revisions.publish(point, floor);
                            }
                        });
    }

    /** The link to one leader. */
    private final class Link implements EventSink {
        private final LeaderRecord record;
        private final LeaderLink calls;
        private final ElectionSettings times;
        private final long opened = runtime.clock().nanos();
        private volatile boolean closed;
        private volatile boolean ended;
        private volatile boolean updated;
        private volatile long lastUpdate = opened;

        Link(LeaderRecord record, LeaderLink calls) {
            this.record = record;
            this.calls = calls;
            this.times = settings.of(record);
        }

        void open() {
            calls.eventStream(revisions.committed().revision() + 1, this);
        }

        void close() {
            closed = true;
            calls.close();
        }

        /**
         * True if the link is to that leader and works, or is too young to be replaced. A link
         * without updates for some time does not work, even if no error was reported.
         */
        boolean serves(LeaderRecord other) {
            boolean young = runtime.clock().nanos() - opened < LINK_PAUSE.toNanos();
            boolean silent = silentNanos() > SILENT_CONTACTS * times.contactTimeout().toNanos();
            return record.sameTerm(other) && (young || (!ended && !silent));
        }

        boolean isInContact() {
            return updated && !ended && silentNanos() < times.contactTimeout().toNanos();
        }

        /** Time since the last update, or since the link was opened. */
        long silentNanos() {
            return runtime.clock().nanos() - lastUpdate;
        }

        @Override
        public void update(LeaderUpdate update, Runnable processed) {
            runtime.sequencer()
                    .execute(
                            () -> {
                                if (!closed && link == this) {
                                    process(update);
                                    processed.run();
                                }
                            });
        }

        private void process(LeaderUpdate update) {
            LeaderStatus status = update.status();
            if (status.fence().epoch() != record.epoch()) {
                LOG.warn(
                        "refused event stream of another epoch peerUrls={} epoch={} expected={}",
                        record.peerUrls(),
                        status.fence().epoch(),
                        record.epoch());
                calls.close();
                ended();
                return;
            }
            if (status.auth() != null) {
                auth.publish(status.auth());
            }
            for (RevisionEvents events : update.events()) {
                if (events.revision() > ring.last()) {
                    listener.events(events);
                }
            }
            revisions.publish(status.point(), status.floor());
            fence = status.fence();
            learn(status.alarms());
            lastUpdate = runtime.clock().nanos();
            lastContact = LeaderContact.of(record, status, lastUpdate, lastContact);
            if (!updated) {
                updated = true;
                if (record.epoch() != followedEpoch) { // otherwise only the link is new
                    followedEpoch = record.epoch();
                    runtime.listener().leaderFollowed();
                }
                LOG.info(
                        "following leader member={} epoch={} revision={}",
                        Long.toHexString(record.memberId()),
                        record.epoch(),
                        status.point().revision());
                onContact.run();
            }
        }

        @Override
        public void ended() {
            ended = true;
            if (!closed && link == this) {
                onEnd.run();
            }
        }
    }
}
