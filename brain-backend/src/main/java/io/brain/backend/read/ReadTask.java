package io.brain.backend.read;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Reply;
import io.brain.backend.read.RangeReader.CompactedPointException;
import io.brain.backend.read.ResponseBudget.Grant;
import io.brain.backend.store.ReadPoint;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A read in progress: waits for a read point, then for the response budget, then for a reader
 * thread; waits for more budget and starts again if the budget was exceeded, or waits for a later
 * read point if that one was compacted. Holds no budget while it waits for a read point, which may
 * take as long as there is no leader. Used by one thread at a time.
 */
final class ReadTask<T> implements ReadQuota {
    private final Tenant tenant;
    private final BiFunction<ReadPoint, ReadQuota, T> read;
    private final Supplier<CompletionStage<ReadPoint>> points;
    private final LongFunction<CompletionStage<ReadPoint>> laterPoints;
    private final Executor readers;
    private final BudgetTiers budget;
    private final Runnable onEnd;
    private final CompletableFuture<Reply<T>> result = new CompletableFuture<>();
    private ReadPoint point;
    private Grant grant;
    private boolean large;

    /** Bytes of the grant. */
    private long granted;

    /** Bytes of the answer so far. */
    private long held;

    /**
     * A read that has not started.
     *
     * @param tenant whose read it is
     * @param read builds the answer on a reader thread, at the given point or a later one
     * @param laterPoints finds a point that has a revision
     */
    ReadTask(
            Tenant tenant,
            BiFunction<ReadPoint, ReadQuota, T> read,
            Supplier<CompletionStage<ReadPoint>> points,
            LongFunction<CompletionStage<ReadPoint>> laterPoints,
            FairReaders readers,
            BudgetTiers budget,
            Runnable onEnd) {
        this.tenant = tenant;
        this.read = read;
        this.points = points;
        this.laterPoints = laterPoints;
        this.readers = readers.of(tenant);
        this.budget = budget;
        this.onEnd = onEnd;
    }

    /** Starts; the returned future should be cancelled if the answer is no longer needed. */
    CompletableFuture<Reply<T>> start() {
        try {
            Futures.onEnd(points.get(), this::acceptPoint);
        } catch (RuntimeException e) {
            fail(e);
        }
        return result;
    }

    @Override
    public void hold(long bytes) {
        held += bytes;
        if (held > granted) {
            if (held > budget.answerBytesMax()) {
                throw new BackendException(ErrorKind.ANSWER_TOO_LARGE);
            }
            if (large ? !grant.grow(held) : !moveToLarge()) {
                throw new ExceededException();
            }
            granted = grant.bytes();
        }
    }

    @Override
    public void passKey() {
        if (result.isDone()) {
            throw new CancellationException();
        }
    }

    private boolean moveToLarge() {
        Grant twice = budget.large().tryReserve(tenant, 2 * held);
        Grant more = twice != null ? twice : budget.large().tryReserve(tenant, held);
        if (more == null) {
            return false;
        }
        grant.close();
        grant = more;
        large = true;
        return true;
    }

    private void acceptPoint(ReadPoint found, Throwable failure) {
        if (failure != null) {
            fail(failure);
        } else if (result.isDone()) {
            fail(new CancellationException());
        } else {
            point = found;
            ResponseBudget first = budget.first(tenant);
            large = first == budget.large();
            waitFor(first.reserve(tenant, budget.firstBytes()));
        }
    }

    private void waitFor(CompletableFuture<Grant> reserved) {
        if (!reserved.isDone()) {
            Futures.onEnd(result, (reply, failure) -> reserved.cancel(false));
        }
        Futures.onEnd(
                reserved,
                (room, failure) -> {
                    if (failure != null) {
                        fail(failure);
                    } else {
                        grant = room;
                        granted = room.bytes();
                        execute();
                    }
                });
    }

    private void execute() {
        try {
            readers.execute(this::run);
        } catch (RejectedExecutionException full) {
            fail(new BackendException(ErrorKind.TOO_MANY_REQUESTS, full));
        }
    }

    private void run() {
        held = 0;
        try {
            passKey();
            T answer = read.apply(point, this);
            grant.trim(held);
            onEnd.run();
            if (!result.complete(new Reply<>(answer, grant))) {
                grant.close();
            }
        } catch (ExceededException e) {
            long wanted = Math.max(held, 2 * granted);
            grant.close();
            large = true;
            waitFor(budget.large().reserve(tenant, wanted));
        } catch (CompactedPointException e) {
            grant.close();
            Futures.onEnd(laterPoints.apply(e.floor()), this::acceptPoint);
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable failure) {
        if (grant != null) {
            grant.close();
        }
        onEnd.run();
        Throwable cause = Failures.cause(failure);
        boolean cancelled = cause instanceof CancellationException;
        result.completeExceptionally(cancelled ? cause : Failures.of(cause));
    }
}
