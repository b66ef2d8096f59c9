package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.Store;
import io.brain.backend.txn.Proposal;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one writer: takes proposals in, evaluates them at the tip in the order they came, and has
 * what they change committed and published. Lives for one leadership.
 *
 * <p>An actor on the runtime's sequencer executor: it has no thread of its own, and waits for the
 * engine only where it would have nothing else to do. A round takes what has come, evaluates it,
 * and sends a batch if none is on its way. While one is, the next one fills; arrivals then wake the
 * actor only in groups, because the engine's answer will wake it anyway.
 */
public final class Sequencer {
    /** Requests that a round takes in, and looks up together. */
    private static final int TAKE_MAX = 256;

    /** Requests that are worth a round while a batch is on its way. */
    private static final int GROUP = 16;

    private final RequestQueue mailbox;
    private final WriteLoop loop;
    private final Publisher publisher;
    private final Executor executor;
    private final BackendRuntime runtime;
    private final WriteSettings settings;
    private final WriteTimes times;
    private final PendingState tip;

    /**
     * What the engine, the scheduler and {@link #close} have for the sequencer thread; a handful at
     * most, as one batch is on its way at a time.
     */
    private final Queue<Runnable> signals = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Waiting requests from which on a round is worth it. */
    private volatile int wakeAt = 1;

    /**
     * A sequencer that goes on where the fence stands.
     *
     * @param listener told of commits on the sequencer thread
     * @param fence what is stored under the fence's key: this leader's epoch, the last batch
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
        executor = runtime.sequencer();
        mailbox = new RequestQueue(settings.requestsMax(), settings.requestBytesMax());
        times = new WriteTimes(runtime.clock(), runtime.listener());
        publisher = new Publisher(store.revisions(), listener, mailbox, times);
        tip = new PendingState(store, settings.recordCacheBytes());
        loop =
                new WriteLoop(
                        new TxnApplier(tip, store.coder(), settings, runtime.clock()),
                        new SpanPrefetcher(tip, store, settings, runtime.readers(), this::signal),
                        new BatchQueue(store, settings, fence),
                        new GroupCommitter(
                                store.storage(), this::signal, runtime.scheduler(), times),
                        publisher,
                        leadership);
    }

    /**
     * Has {@code proposal} decided; ends as it answers, on the sequencer thread or where the answer
     * is made. Any thread; never blocks. Fails at once with TOO_MANY_REQUESTS if too much is
     * pending.
     *
     * @param wireBytes bytes of the request as it came, for the limit on what is pending
     */
    public <T> CompletableFuture<T> submit(Proposal<T> proposal, int wireBytes) {
        BackendException over = loop.ended();
        if (over != null) {
            return CompletableFuture.failedFuture(over);
        }
        Request<T> request = new Request<>(proposal, wireBytes, runtime.clock().nanos());
        if (!mailbox.offer(request)) {
            runtime.listener().writeRefused();
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        if (mailbox.waiting() >= wakeAt) {
            wake();
        }
        return request.future();
    }

    /**
     * Fails everything pending with {@code why}, and whatever comes later. A batch on its way may
     * still land; nobody is told. The future ends when all that is done. The second call does
     * nothing more.
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

    /** True until the sequencer refuses everything. Any thread. */
    public boolean isOpen() {
        return loop.ended() == null;
    }

    /** What the last batch that landed left under the fence's key. Any thread. */
    public Fence fence() {
        return loop.fence();
    }

    /** What is pending. Any thread. */
    public WriteStats stats() {
        return new WriteStats(
                mailbox.pending(),
                settings.requestsMax(),
                mailbox.pendingBytes(),
                settings.requestBytesMax(),
                mailbox.waiting());
    }

    private void signal(Runnable task) {
        signals.add(task);
        wake();
    }

    private void wake() {
        if (scheduled.compareAndSet(false, true)) {
            executor.execute(this::round);
        }
    }

    private void round() {
        try {
            for (Runnable signal = signals.poll(); signal != null; signal = signals.poll()) {
                signal.run();
            }
            times.roundBegins();
            takeIn();
            int evaluated = loop.run();
            if (evaluated > 0) {
                times.roundEnds(evaluated, tip.takeLookups());
            }
            loop.send(mailbox.waiting() == 0 && signals.isEmpty() && !loop.canGoOn());
        } catch (RuntimeException | Error broken) {
            loop.lost(ErrorKind.INTERNAL, broken);
        }
        int from = worthARound();
        wakeAt = from;
        scheduled.set(false);
        if (!signals.isEmpty() || mailbox.waiting() >= from || loop.canGoOn()) {
            wake();
        }
    }

    private void takeIn() {
        if (loop.ended() == null && !loop.hasRoom()) {
            return;
        }
        for (int count = loop.hasTaken() ? TAKE_MAX : 0; count < TAKE_MAX; count++) {
            Request<?> request = mailbox.poll();
            if (request == null) {
                return;
            }
            times.taken(request);
            loop.take(request);
        }
    }

    /** How many waiting requests make the next round worth it. */
    private int worthARound() {
        if (loop.ended() != null) {
            return 1;
        }
        if (!loop.hasRoom()) {
            return Integer.MAX_VALUE;
        }
        return loop.isCommitting() ? GROUP : 1;
    }
}
