package io.brain.backend.read;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Reply;
import io.brain.backend.read.ResponseBudget.Grant;
import io.brain.backend.store.ReadPoint;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * One read on its way: read point, budget, reader thread, answer; and once more with more budget if
 * that was too little. It holds no budget while it waits for its read point, which may be as long
 * as there is no leader. Only one thread at a time is at work on it.
 */
final class ReadTask<T> implements ReadQuota {
    /** Makes the answer, on a reader thread. */
    @FunctionalInterface
    interface Read<T> {
        /** Reads at {@code point}, or a later one. */
        T read(ReadPoint point, ReadQuota meter);
    }

    private final Read<T> read;
    private final Supplier<CompletionStage<ReadPoint>> points;
    private final Executor readers;
    private final BudgetTiers lanes;
    private final Runnable whenEnded;
    private final CompletableFuture<Reply<T>> result = new CompletableFuture<>();
    private boolean surely;
    private ReadPoint point;
    private Grant grant;
    private boolean large;

    /** Bytes of the grant, as far as this task knows. */
    private long granted;

    /** Bytes that the answer holds so far. */
    private long held;

    ReadTask(
            Read<T> read,
            Supplier<CompletionStage<ReadPoint>> points,
            Executor readers,
            BudgetTiers lanes,
            Runnable whenEnded) {
        this.read = read;
        this.points = points;
        this.readers = readers;
        this.lanes = lanes;
        this.whenEnded = whenEnded;
    }

    /**
     * Begins.
     *
     * @param cannotBeRefused wait for room, however many do
     * @return the answer; to be cancelled if nobody waits for it any more
     */
    CompletableFuture<Reply<T>> start(boolean cannotBeRefused) {
        surely = cannotBeRefused;
        takePoint();
        return result;
    }

    @Override
    public void hold(long bytes) {
        held += bytes;
        if (held > granted) {
            if (held > lanes.answerBytesMax()) {
                throw new BackendException(ErrorKind.ANSWER_TOO_LARGE);
            }
            if (large ? !grant.grow(held) : !moveToLarge()) {
                throw new OutOfBudget();
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
        Grant more = lanes.moreNow(held);
        if (more == null) {
            return false;
        }
        grant.close();
        grant = more;
        large = true;
        return true;
    }

    private void waitFor(CompletableFuture<Grant> line) {
        if (!line.isDone()) {
            Futures.onEnd(result, (reply, failure) -> line.cancel(false));
        }
        Futures.onEnd(
                line,
                (room, failure) -> {
                    if (failure != null) {
                        fail(failure);
                    } else {
                        grant = room;
                        granted = room.bytes();
                        dispatch();
                    }
                });
    }

    private void takePoint() {
        CompletionStage<ReadPoint> stage;
        try {
            stage = points.get();
        } catch (RuntimeException e) {
            fail(e);
            return;
        }
        Futures.onEnd(
                stage,
                (found, failure) -> {
                    if (failure != null) {
                        fail(failure);
                    } else if (result.isDone()) {
                        fail(new CancellationException());
                    } else {
                        point = found;
                        waitFor(lanes.first(surely));
                    }
                });
    }

    private void dispatch() {
        try {
            readers.execute(this::run);
        } catch (RejectedExecutionException e) {
            fail(new BackendException(ErrorKind.TOO_MANY_REQUESTS, e));
        }
    }

    private void run() {
        held = 0;
        try {
            passKey();
            T answer = read.read(point, this);
            grant.trim(held);
            whenEnded.run();
            if (!result.complete(new Reply<>(answer, grant))) {
                grant.close();
            }
        } catch (OutOfBudget e) {
            long wanted = Math.max(held, 2 * granted);
            grant.close();
            large = true;
            waitFor(lanes.more(wanted, surely));
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable failure) {
        if (grant != null) {
            grant.close();
        }
        whenEnded.run();
        Throwable cause = Failures.cause(failure);
        boolean cancelled = cause instanceof CancellationException;
        result.completeExceptionally(cancelled ? cause : Failures.of(cause));
    }
}
