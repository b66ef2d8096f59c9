package io.brain.backend.ttl;

import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.TtlRules;
import io.brain.backend.model.TtlRules.Rule;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.store.KeyIndex;
import io.brain.backend.store.Store;
import io.brain.backend.txn.Proposal;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expires the keys of a leader's term by the rules. On the background threads, one step at a time:
 * reads a limited number of expiry records, proposes the {@link Expiry} of those that are due, and
 * pauses for at least as long as that took, so that clients' writes get at least half of the time.
 *
 * <p>Holds one position per different TTL: the records before it are removed, or have another TTL.
 */
public final class TtlScanner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TtlScanner.class);

    /** Time between scans while nothing is due. */
    private static final Duration INTERVAL = Duration.ofMillis(500);

    /** Time until a scan that failed is repeated. */
    private static final Duration RETRY = Duration.ofSeconds(3);

    /** Keys that one revision expires. */
    static final int BATCH_KEYS_MAX = 200;

    /** Records that a step reads. */
    private static final int STEP_RECORDS_MAX = 2000;

    private final Store store;
    private final KeyIndex index;
    private final Supplier<TtlRules> source;
    private final BooleanSupplier active;
    private final Function<Proposal<Integer>, CompletableFuture<Integer>> submit;
    private final BackendRuntime runtime;
    private volatile boolean closed;
    private volatile Scheduler.Timer timer = () -> {};

    /** The rules that the positions are for. Used by the current step only, as are these. */
    private TtlRules rules = TtlRules.NONE;

    private List<Position> positions = List.of();

    /**
     * A scanner that has not started.
     *
     * @param source the current rules; must not block
     * @param active false while nothing may expire
     * @param submit submits a proposal to the sequencer
     */
    public TtlScanner(
            Store store,
            Supplier<TtlRules> source,
            BooleanSupplier active,
            Function<Proposal<Integer>, CompletableFuture<Integer>> submit,
            BackendRuntime runtime) {
        this.store = store;
        this.index = store.coder().expiries();
        this.source = source;
        this.active = active;
        this.submit = submit;
        this.runtime = runtime;
    }

    /** The place of the next record to read for a TTL. */
    private static final class Position {
        private final Duration ttl;

        /** True for the longest TTL: it also removes records that no rule matches. */
        private final boolean last;

        private Bytes next;

        Position(Duration ttl, boolean last, Bytes first) {
            this.ttl = ttl;
            this.last = last;
            this.next = first;
        }

        boolean concerns(Rule rule) {
            return rule == null ? last : rule.ttl().equals(ttl);
        }
    }

    /**
     * Records to expire at a position, and where it is once they are expired.
     *
     * @param more true if records after them may be due
     */
    private record Due(Position position, List<ExpiryRecord> records, Bytes next, boolean more) {}

    /** Starts the first interval. */
    public void start() {
        schedule(INTERVAL);
    }

    /** Stops; a pending proposal continues. */
    @Override
    public void close() {
        closed = true;
        timer.cancel();
    }

    private void schedule(Duration delay) {
        if (!closed) {
            timer = runtime.scheduler().schedule(delay, runtime.background(), this::step);
        }
    }

    private void step() {
        if (closed) {
            return;
        }
        long began = runtime.clock().nanos();
        CompletableFuture<Boolean> stepped;
        try {
            Due due = active.getAsBoolean() ? next() : null;
            stepped = due == null ? CompletableFuture.completedFuture(false) : expire(due);
        } catch (RuntimeException unreadable) {
            stepped = CompletableFuture.failedFuture(unreadable);
        }
        Futures.onEnd(stepped, (more, failure) -> stepped(began, more, failure));
    }

    private void stepped(long began, Boolean more, Throwable failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            LOG.warn("expiry by TTL rules failed error={}", Failures.cause(failure).toString());
            schedule(RETRY);
        } else {
            schedule(more ? Duration.ofNanos(runtime.clock().nanos() - began) : INTERVAL);
        }
    }

    /** The due records of the first TTL that has any; null if none has. */
    private Due next() {
        TtlRules current = source.get();
        if (!current.equals(rules)) {
            rules = current;
            positions = new ArrayList<>();
            for (Duration ttl : rules.ttls()) {
                boolean last = positions.size() == rules.ttls().size() - 1;
                positions.add(new Position(ttl, last, index.range().start()));
            }
        }
        if (positions.isEmpty()) {
            return null;
        }
        long now = runtime.clock().unixMillis();
        try (Snapshot snapshot = store.open()) {
            for (Position position : positions) {
                Due due = read(position, snapshot, now);
                if (due.more() || !due.records().isEmpty()) {
                    // The other TTLs are next.
                    positions.remove(position);
                    positions.add(position);
                    return due;
                }
                position.next = due.next();
            }
        }
        return null;
    }

    private Due read(Position position, Snapshot snapshot, long now) {
        List<ExpiryRecord> due = new ArrayList<>();
        KeyRange range = new KeyRange(position.next, index.range().end());
        Bytes next = position.next;
        try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
            for (int read = 0; read < STEP_RECORDS_MAX && due.size() < BATCH_KEYS_MAX; read++) {
                if (!cursor.next()) {
                    return new Due(position, due, next, false);
                }
                ExpiryRecord record = ExpiryRecord.at(cursor, index);
                if (record.deadline(position.ttl) > now) {
                    return new Due(position, due, next, false);
                }
                next = cursor.key().successor();
                if (position.concerns(rules.find(record.key()))) {
                    due.add(record);
                }
            }
        }
        return new Due(position, due, next, true);
    }

    /** Proposes the expiry; returns true if more may be due. */
    private CompletableFuture<Boolean> expire(Due due) {
        List<ExpiryRecord> records = due.records();
        if (records.isEmpty()) {
            due.position().next = due.next();
            return CompletableFuture.completedFuture(due.more());
        }
        return submit.apply(new Expiry(rules, records, index, runtime.listener()))
                .thenApply(
                        done -> {
                            boolean all = done == records.size();
                            due.position().next = all ? due.next() : keyOf(records.get(done));
                            return !all || due.more();
                        });
    }

    private Bytes keyOf(ExpiryRecord record) {
        return index.key(record.revision(), record.key());
    }
}
