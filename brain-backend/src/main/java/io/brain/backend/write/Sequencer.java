package io.brain.backend.write;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.Store;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.Proposal;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The single writer of one leadership: evaluates proposals in order of arrival, and has their
 * changes committed and published.
 *
 * <p>An actor on the runtime's sequencer executor, without a thread of its own. A round takes the
 * waiting requests, evaluates them, and sends a batch if none is in flight. While one is, requests
 * start a round only in groups, because the engine's answer will start one anyway.
 */
public final class Sequencer {
    /** Requests that a round takes. */
    private static final int ROUND_MAX = 256;

    /** Waiting requests that start a round while a batch is in flight. */
    private static final int GROUP = 16;

    /** The leadership that a sequencer writes under. Called on the sequencer thread. */
    public interface Leadership {
        /**
         * True while no other node can be leader. Otherwise an answer waits for a batch that proves
         * the leadership, if necessary one that only moves the fence.
         */
        boolean isSure();

        /**
         * The sequencer ended: another leader owns the fence (LEADER_CHANGED), or the storage
         * failed for good. All pending requests have failed with {@code why}. Called at most once,
         * and not after {@link Sequencer#close}.
         *
         * @param cause null if the fence was lost
         */
        void lost(ErrorKind why, Throwable cause);

        /** A batch failed for want of disk space. The sequencer continues. */
        void outOfSpace();
    }

    private final RequestQueue queue;
    private final PendingState pending;
    private final WriteLoop loop;
    private final BackendRuntime runtime;
    private final WriteSettings settings;
    private final WideDeleteTurns wideDeletes = new WideDeleteTurns();

    /** Tasks of the engine, the scheduler and {@link #close} for the sequencer thread. */
    private final Queue<Runnable> signals = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();

    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;

    /** Number of waiting requests that starts a round. */
    private volatile int wakeAt = 1;

    /**
     * Creates a sequencer that continues after {@code fence}.
     *
     * @param listener receives commits on the sequencer thread
     * @param fence the stored fence, of this leader's epoch
     */
    public Sequencer(
            Store store,
            CommitListener listener,
            Leadership leadership,
            BackendRuntime runtime,
            WriteSettings settings,
            Fence fence) {
        this.runtime = runtime;
        this.settings = settings;
        queue = new RequestQueue(settings.requestsMax(), settings.requestBytesMax());
        pending = new PendingState(store, settings.recordCacheBytes());
        loop =
                new WriteLoop(
                        pending,
                        new TxnApplier(pending, store.coder(), settings, runtime.clock()),
                        new BatchQueue(store, settings, runtime.clock(), fence),
                        new GroupCommitter(store.storage(), this::signal, runtime),
                        new Publisher(store.revisions(), listener, queue, runtime),
                        leadership);
    }

    /**
     * Submits a proposal. Any thread; never blocks. The future completes on the sequencer thread or
     * on the thread that made the answer; at once with TOO_MANY_REQUESTS if too much is pending, or
     * with NOT_LEADER after {@link #drain}.
     *
     * @param tenant whose proposal it is, for the share of what may be pending
     * @param wireBytes size of the request, for the limit of pending bytes
     */
    public <T> CompletableFuture<T> submit(Proposal<T> proposal, Tenant tenant, int wireBytes) {
        BackendException ended = loop.ended();
        if (ended != null) {
            return CompletableFuture.failedFuture(ended);
        }
        if (draining) {
            return CompletableFuture.failedFuture(new BackendException(ErrorKind.NOT_LEADER));
        }
        Request<T> request = new Request<>(proposal, tenant, wireBytes, runtime.clock().nanos());
        if (!queue.offer(request)) {
            runtime.listener().writeRefused();
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        if (queue.waiting() >= wakeAt) {
            wake();
        }
        return request.future();
    }

    /**
     * Refuses further proposals; completes on the sequencer thread, when no batch is in flight and
     * all earlier proposals are answered. Any thread; idempotent.
     */
    public CompletableFuture<Void> drain() {
        draining = true;
        wake();
        return drained;
    }

    /**
     * Fails all pending and later requests with {@code why}; the future completes when this is
     * done. A batch in flight may still be committed, but is not published. Idempotent.
     */
    public CompletableFuture<Void> close(ErrorKind why) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        signal(
                () -> {
                    loop.end(new BackendException(why));
                    closed.complete(null);
                });
        return closed;
    }

    /** False once the sequencer has ended. Any thread. */
    public boolean isOpen() {
        return loop.ended() == null;
    }

    /** The fence of the last committed batch. Any thread. */
    public Fence fence() {
        return loop.fence();
    }

    /** Pending requests and their limits. Any thread. */
    public WriteStats stats() {
        return new WriteStats(
                queue.pending(),
                settings.requestsMax(),
                queue.pendingBytes(),
                settings.requestBytesMax(),
                queue.waiting(),
                loop.batchNanos());
    }

    /**
     * As {@link #submit}, for a transaction that deletes so many ranges. A wide delete is prepared;
     * of several, one could be prepared and the next be refused.
     */
    public <T> CompletableFuture<T> submitTxn(
            Proposal<T> txn, int rangeDeletes, Tenant tenant, int wireBytes) {
        if (rangeDeletes == 1) {
            return WideDeletes.submit(this, txn, tenant, wireBytes);
        }
        Proposal<T> unprepared =
                rangeDeletes == 0
                        ? txn
                        : txn.after(context -> context.useEarly(new EarlyHistory()));
        return submit(unprepared, tenant, wireBytes);
    }

    WideDeleteTurns wideDeletes() {
        return wideDeletes;
    }

    BackendRuntime runtime() {
        return runtime;
    }

    WriteSettings settings() {
        return settings;
    }

    private void signal(Runnable task) {
        signals.add(task);
        wake();
    }

    private void wake() {
        if (scheduled.compareAndSet(false, true)) {
            runtime.sequencer().execute(this::round);
        }
    }

    private void round() {
        try {
            for (Runnable signal = signals.poll(); signal != null; signal = signals.poll()) {
                signal.run();
            }
            long began = runtime.clock().nanos();
            takeRequests(began);
            int evaluated = loop.evaluate();
            if (evaluated > 0) {
                runtime.listener().writesEvaluated(evaluated, runtime.clock().nanos() - began);
                pending.reportLookups(runtime.listener());
            }
            loop.send();
        } catch (RuntimeException | Error broken) {
            loop.lost(ErrorKind.INTERNAL, broken);
        }
        if (draining && queue.waiting() == 0 && loop.isIdle()) {
            drained.complete(null);
        }
        int threshold = wakeThreshold();
        wakeAt = threshold;
        scheduled.set(false);
        if (!signals.isEmpty() || queue.waiting() >= threshold || loop.canEvaluate()) {
            wake();
        }
    }

    private void takeRequests(long now) {
        if (!loop.accepts()) {
            return;
        }
        for (int count = 0; count < ROUND_MAX; count++) {
            Request<?> request = queue.poll();
            if (request == null) {
                return;
            }
            runtime.listener().writeQueued(now - request.submitted());
            loop.take(request);
        }
    }

    private int wakeThreshold() {
        if (loop.ended() != null) {
            return 1;
        }
        if (!loop.hasRoom()) {
            return Integer.MAX_VALUE;
        }
        return loop.isCommitting() ? GROUP : 1;
    }
}
