package io.brain.backend.lead;

import io.brain.backend.compact.Compactor;
import io.brain.backend.key.AlarmRecord;
import io.brain.backend.key.Fence;
import io.brain.backend.key.IdentityRecord;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.LeaseRecord;
import io.brain.backend.lease.LeaseExpirer;
import io.brain.backend.lease.LeaseProposals;
import io.brain.backend.lease.LeaseRegistry;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.write.Leadership;
import io.brain.backend.write.LeaseView;
import io.brain.backend.write.Proposal;
import io.brain.backend.write.Sequencer;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * All that lives for exactly one epoch of this node's leadership: the writer, the leases and their
 * expiry, the compactor, the alarms. Built on a background thread, started on the sequencer's.
 */
public final class LeaderTerm {
    /** Time until an alarm that could not be stored is raised again. */
    private static final Duration ALARM_PAUSE = Duration.ofSeconds(1);

    private final StoreState state;
    private final TermContext context;
    private final Sequencer sequencer;
    private final Alarms alarms;
    private final LeaseRegistry leases = new LeaseRegistry();
    private final LeaseProposals leaseProposals;
    private final LeaseExpirer expirer;
    private final Compactor compactor;

    /**
     * A term that does nothing until {@link #start}. Reads the small records: blocks.
     *
     * @param state the store as it was taken over
     * @param holder asked and told about the leadership, on the sequencer thread
     */
    LeaderTerm(StoreState state, TermContext context, Holder holder) {
        this.state = state;
        this.context = context;
        TermSettings settings = context.settings();
        KeyCoder coder = context.store().coder();
        try (Snapshot snapshot = context.store().open()) {
            alarms = new Alarms(AlarmRecord.decode(snapshot.get(coder.alarmKey())), coder);
            restoreLeases(snapshot);
        }
        sequencer =
                new Sequencer(
                        context.store(),
                        context.listener(),
                        new Hold(holder),
                        context.runtime(),
                        settings.write(),
                        state.fence());
        leaseProposals =
                new LeaseProposals(
                        leases, coder, context.runtime(), this::attachedKeys, settings.lease());
        expirer =
                new LeaseExpirer(
                        leases,
                        id -> submit(alarms.guard(false, leaseProposals.expire(id))),
                        context.runtime(),
                        settings.lease());
        compactor =
                new Compactor(
                        context.store(),
                        this::submit,
                        context.pins()::lowest,
                        context.runtime(),
                        settings.compact());
    }

    /** Goes to work. On the sequencer thread, so that no commit of the term is told before this. */
    void start() {
        context.listener().committed(state.point());
        expirer.start();
        compactor.start();
    }

    /**
     * Ends: everything that is pending fails with {@code why}. Does not wait; the future ends when
     * nothing of the term happens any more.
     */
    CompletableFuture<Void> close(ErrorKind why) {
        expirer.close();
        compactor.close();
        return sequencer.close(why);
    }

    /** Has a proposal decided; see {@link Sequencer#submit}. */
    public <T> CompletableFuture<T> submit(Proposal<T> proposal, int wireBytes) {
        return sequencer.submit(proposal, wireBytes);
    }

    /** The ids of the cluster and of this member. */
    public IdentityRecord identity() {
        return state.identity();
    }

    /** What the last published batch left under the fence's key. */
    public Fence fence() {
        return sequencer.fence();
    }

    /** Alarms. */
    public Alarms alarms() {
        return alarms;
    }

    /** The leases as puts see them. */
    public LeaseView leaseView() {
        return leases;
    }

    /** What can be asked of leases. */
    public LeaseProposals leases() {
        return leaseProposals;
    }

    /** Compactions. */
    public Compactor compactor() {
        return compactor;
    }

    private <T> CompletableFuture<T> submit(Proposal<T> proposal) {
        return sequencer.submit(proposal, 0);
    }

    private void restoreLeases(Snapshot snapshot) {
        KeyCoder coder = context.store().coder();
        long now = context.runtime().clock().nanos();
        try (Cursor cursor = snapshot.cursor(coder.leases(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                long ttl = LeaseRecord.decode(cursor.value()).ttl();
                leases.restore(coder.leaseId(cursor.key()), ttl, now);
            }
        }
    }

    private List<Bytes> attachedKeys(long lease) {
        KeyCoder coder = context.store().coder();
        List<Bytes> keys = new ArrayList<>();
        try (Snapshot snapshot = context.store().open();
                Cursor cursor =
                        snapshot.cursor(coder.attachments(lease), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                keys.add(coder.attachedKey(cursor.key()));
            }
        }
        return keys;
    }

    /** Who holds the leadership that a term lives for. Called on the sequencer thread. */
    interface Holder {
        /** True if nobody else can have become leader by now. */
        boolean isSure();

        /**
         * The term's writer has ended by itself.
         *
         * @param cause may be null
         */
        void lost(ErrorKind why, Throwable cause);
    }

    /** The writer's side of the leadership. */
    private final class Hold implements Leadership {
        private final Holder holder;

        /** True from when an alarm is raised for want of space until it may be tried again. */
        private boolean raising;

        Hold(Holder holder) {
            this.holder = holder;
        }

        @Override
        public boolean isSure() {
            return holder.isSure();
        }

        @Override
        public void lost(ErrorKind why, Throwable cause) {
            holder.lost(why, cause);
        }

        @Override
        public void outOfSpace() {
            if (raising || alarms.raised().contains(ErrorKind.NO_SPACE)) {
                return;
            }
            raising = true;
            submit(alarms.raise(ErrorKind.NO_SPACE));
            context.runtime()
                    .scheduler()
                    .schedule(ALARM_PAUSE, context.runtime().sequencer(), () -> raising = false);
        }
    }
}
