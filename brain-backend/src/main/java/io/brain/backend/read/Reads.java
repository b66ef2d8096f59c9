package io.brain.backend.read;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.store.ReadPoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads without blocking the caller: on the readers' pool, within the response budget. Thread-safe.
 *
 * <p>Futures end with a {@link BackendException} if the read fails, on a reader's thread or on the
 * thread that made room in the budget. Cancelling a future that is not needed any more frees its
 * place in line, or stops the read at its next key.
 *
 * <p>The budget has two parts. A read begins with a little of the small one, and most need no more;
 * one that does moves to the large one. So point reads do not stand behind lists.
 */
public final class Reads implements AutoCloseable {
    private final RangeReader reader;
    private final ReadPoints points;
    private final Executor readers;
    private final ReadSettings settings;
    private final BudgetTiers budget;
    private final QuickReads quick;
    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicLong questionBytes = new AtomicLong();
    private final LongAdder refused = new LongAdder();

    /**
     * Reads through {@code reader}.
     *
     * @param readers runs the reads; should run as many at once as the engine and the cores take
     */
    public Reads(
            RangeReader reader,
            ReadPoints points,
            Executor readers,
            BudgetTiers budget,
            ReadSettings settings) {
        this.reader = reader;
        this.points = points;
        this.readers = readers;
        this.settings = settings;
        this.budget = budget;
        this.quick = new QuickReads(reader, points, budget);
    }

    /**
     * A range; the reply's reservation must be closed. A short one that the cache has is read at
     * once, by the caller.
     */
    public CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query) {
        Reply<OpResult.Range> atOnce = quick.read(query);
        if (atOnce != null) {
            return CompletableFuture.completedFuture(atOnce);
        }
        return admit(
                query.span().bytes(),
                query.serializable(),
                (point, meter) -> reader.read(query, point, meter));
    }

    /**
     * Reads from the engine, at a linearizable read point; the reply's reservation must be closed.
     */
    public CompletableFuture<Reply<Void>> probe() {
        return admit(0, false, (point, meter) -> reader.probe(point));
    }

    /**
     * A transaction that only reads; the reply's reservation must be closed.
     *
     * @param wireBytes its size
     */
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes) {
        boolean serializable = isSerializable(txn.success()) && isSerializable(txn.failure());
        return admit(wireBytes, serializable, (point, meter) -> reader.readTxn(txn, point, meter));
    }

    /** What the reads are doing. */
    public ReadStats stats() {
        return new ReadStats(
                admitted.get(),
                settings.readsMax(),
                budget.waiting(),
                budget.held(),
                budget.bytesMax(),
                refused.sum());
    }

    /** Bytes of answers that are held now, by reads at work and by the transport. */
    public long heldBytes() {
        return budget.held();
    }

    /** Ends what waits with STOPPED, and refuses more; what runs goes on. */
    @Override
    public void close() {
        budget.close();
    }

    private <T> CompletableFuture<Reply<T>> admit(
            int bytes, boolean serializable, ReadTask.Read<T> read) {
        if (!enter(bytes)) {
            refused.increment();
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        ReadTask<T> task =
                new ReadTask<>(
                        read,
                        serializable ? this::ownPoint : points::linearizable,
                        readers,
                        budget,
                        () -> leave(bytes));
        return task.start(false);
    }

    private boolean enter(int bytes) {
        int before = admitted.getAndIncrement();
        long held = questionBytes.addAndGet(bytes);
        boolean room = before == 0 || held <= settings.questionBytesMax();
        if (before < settings.readsMax() && room) {
            return true;
        }
        leave(bytes);
        return false;
    }

    private void leave(int bytes) {
        admitted.decrementAndGet();
        questionBytes.addAndGet(-bytes);
    }

    private CompletionStage<ReadPoint> ownPoint() {
        return CompletableFuture.completedFuture(points.own());
    }

    private static boolean isSerializable(List<Op> ops) {
        return ops.stream().allMatch(op -> op instanceof Op.Range r && r.query().serializable());
    }
}
