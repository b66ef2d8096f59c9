package io.brain.backend.read;

import io.brain.backend.fair.FairLimit;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.store.ReadPoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Asynchronous reads: on reader threads, within the response budget. Thread-safe.
 *
 * <p>Futures fail with a {@link BackendException}. They complete on a reader thread, or on the
 * thread that released bytes of the budget. Cancelling a future that is no longer needed removes
 * the read from its queue, or ends it at the next key.
 */
public final class Reads implements AutoCloseable {
    private final RangeReader reader;
    private final ReadPoints points;
    private final FairReaders readers;
    private final ReadSettings settings;
    private final BudgetTiers budget;
    private final QuickReads quick;
    private final FairLimit pending;
    private final LongAdder refused = new LongAdder();

    /** Reads with {@code reader}. */
    public Reads(
            RangeReader reader,
            ReadPoints points,
            FairReaders readers,
            BudgetTiers budget,
            ReadSettings settings) {
        this.reader = reader;
        this.points = points;
        this.readers = readers;
        this.settings = settings;
        this.budget = budget;
        this.pending = new FairLimit(settings.readsMax(), settings.requestBytesMax());
        this.quick = new QuickReads(reader, points, budget);
    }

    /**
     * Reads a range, on the caller's thread if possible; the reservation must be closed.
     *
     * @param check throws to refuse the read; runs when it begins, after this node knows what the
     *     leader knew at the read point. A read that begins again, and one that waits although its
     *     read point is known here, is checked more than once
     */
    public CompletableFuture<Reply<OpResult.Range>> range(
            RangeQuery query, Tenant tenant, Runnable check) {
        if (isKnownHere(query.serializable())) {
            check.run();
            Reply<OpResult.Range> cached = quick.read(query, tenant);
            if (cached != null) {
                return CompletableFuture.completedFuture(cached);
            }
        }
        return submit(query, tenant, check);
    }

    private CompletableFuture<Reply<OpResult.Range>> submit(
            RangeQuery query, Tenant tenant, Runnable check) {
        return submit(
                tenant,
                query.span().bytes(),
                points(query.serializable()),
                (point, quota) -> {
                    check.run();
                    return reader.read(query, point, quota);
                });
    }

    /** True if a read need not ask another node for its read point. */
    private boolean isKnownHere(boolean serializable) {
        return serializable || points.linearizableNow() != null;
    }

    /** Reads from the engine; the reservation must be closed. */
    public CompletableFuture<Reply<Void>> probe(boolean serializable) {
        return submit(
                Tenant.SERVER, 0, points(serializable), (point, quota) -> reader.probe(point));
    }

    /**
     * Runs a read-only transaction; the reservation must be closed.
     *
     * @param check as of {@link #range}
     */
    public CompletableFuture<Reply<OpResult.Txn>> txn(
            Txn txn, int wireBytes, Tenant tenant, Runnable check) {
        if (isKnownHere(isSerializable(txn))) {
            check.run();
        }
        return submit(txn, wireBytes, tenant, check);
    }

    private CompletableFuture<Reply<OpResult.Txn>> submit(
            Txn txn, int wireBytes, Tenant tenant, Runnable check) {
        return submit(
                tenant,
                wireBytes,
                points(isSerializable(txn)),
                (point, quota) -> {
                    check.run();
                    return reader.readTxn(txn, point, quota);
                });
    }

    /** State of the reads. */
    public ReadStats stats() {
        Map<Tenant, Integer> waiting = new HashMap<>();
        readers.countWaiting(waiting);
        budget.countWaiting(waiting);
        return new ReadStats(
                pending.count(),
                settings.readsMax(),
                budget.waiting(),
                budget.held(),
                budget.bytesMax(),
                refused.sum(),
                ReadStats.Waiting.most(waiting));
    }

    /** Bytes of answers held by running reads and by the transport. */
    public long heldBytes() {
        return budget.held();
    }

    /** Fails waiting reads with STOPPED, and refuses more; running reads continue. */
    @Override
    public void close() {
        budget.close();
    }

    private <T> CompletableFuture<Reply<T>> submit(
            Tenant tenant,
            int bytes,
            Supplier<CompletionStage<ReadPoint>> point,
            BiFunction<ReadPoint, ReadQuota, T> read) {
        if (!pending.enter(tenant, bytes)) {
            refused.increment();
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        return new ReadTask<>(
                        tenant,
                        read,
                        point,
                        points::reached,
                        readers,
                        budget,
                        () -> pending.leave(tenant, bytes))
                .start();
    }

    private Supplier<CompletionStage<ReadPoint>> points(boolean serializable) {
        return serializable ? this::ownPoint : points::linearizable;
    }

    private CompletionStage<ReadPoint> ownPoint() {
        return CompletableFuture.completedFuture(points.own());
    }

    private static boolean isSerializable(Txn txn) {
        return isSerializable(txn.success()) && isSerializable(txn.failure());
    }

    private static boolean isSerializable(List<Op> ops) {
        return ops.stream().allMatch(op -> op instanceof Op.Range r && r.query().serializable());
    }
}
