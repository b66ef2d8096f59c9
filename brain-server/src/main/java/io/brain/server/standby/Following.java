package io.brain.server.standby;

import io.brain.backend.Backend;
import io.brain.backend.cluster.election.Standby;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import io.brain.transfer.mirror.CompactedException;
import io.brain.transfer.mirror.Mirror;
import io.brain.transfer.mirror.RevisionTail;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.mirror.TargetLeases;
import io.brain.transfer.verify.Side;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the source until the cutover. One thread applies the source's revisions, and does the
 * cutover between two of them; another one compares histories. Thread-safe.
 */
public final class Following implements MetricsSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Following.class);

    private static final Duration STEP = Duration.ofMillis(20);
    private static final long UPKEEP_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_MILLIS = 1000;
    private static final String MOVED_BUT = "the cluster has moved, but: ";

    private final Supplier<Standby> standby;
    private final LongSupplier stored;
    private final Backend backend;
    private final SourceCluster cluster;
    private final Channel channel;
    private final SourceState state;
    private final Histories histories;
    private final Calls calls;

    /** The requested cutover; null: none. */
    private final AtomicReference<CompletableFuture<Cutover.Moved>> request =
            new AtomicReference<>();

    private final Thread thread = daemon(this::run, "brain-standby");
    private final ExecutorService comparisons =
            Executors.newSingleThreadExecutor(task -> daemon(task, "brain-standby-compare"));

    /** A cutover that failed, to be reported when the source is followed again; of the thread. */
    private Consumer<String> failed = prefix -> {};

    /** The request, when the histories were equal; null: none. */
    private volatile CompletableFuture<Cutover.Moved> compared;

    /** When this server was opened, as System.nanoTime. */
    private volatile long openedNanos;

    private volatile boolean stopped;
    private volatile Progress progress = new Progress(0, 0, "not connected yet");

    /**
     * Follows a source from {@link #start} on; the caller closes the channels.
     *
     * @param standby of the current term; null while this server does not lead
     * @param stored reads from the store which cluster it follows; 0: none
     * @param cluster the source, whose fence is the store's
     * @param channel to the source, for calls of this server
     * @param clients to the source, for calls of clients, which have tokens of their own
     * @param checked true if the source checks its callers, or may begin to at any time
     */
    public Following(
            Supplier<Standby> standby,
            LongSupplier stored,
            Backend backend,
            SourceCluster cluster,
            Channel channel,
            Channel clients,
            boolean checked) {
        this.standby = standby;
        this.stored = stored;
        this.backend = backend;
        this.cluster = cluster;
        this.channel = channel;
        this.state = new SourceState(cluster, stored, checked);
        this.histories = new Histories(backend, cluster);
        Source source = new Source(clients);
        SourceReads reads = new SourceReads(source::newestRevision, this::await);
        this.calls = new Calls(source, reads, state::isChecked, standby);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Begins.
     *
     * @param moved true if the cluster has moved: all calls are handled here at once
     */
    public void start(boolean moved) {
        if (moved) {
            calls.open();
        } else {
            LOG.info("following source={} revision={}", cluster.name(), revision());
        }
        thread.start();
    }

    private long revision() {
        return backend.status().revision();
    }

    private CompletableFuture<Void> await(long revision) {
        Standby term = standby.get();
        return term == null
                ? CompletableFuture.failedFuture(new BackendException(ErrorKind.NO_LEADER))
                : term.await(revision);
    }

    /** True if the source must check the callers of all calls. */
    boolean isChecked() {
        return state.isChecked();
    }

    Calls calls() {
        return calls;
    }

    /** True after the cutover. */
    public boolean isOpen() {
        return calls.passage().isOpen();
    }

    /** The id of the followed cluster; 0 after the cutover. */
    public long source() {
        Standby term = standby.get();
        return term == null ? 0 : term.source();
    }

    public Progress progress() {
        Progress known = progress;
        return new Progress(revision(), known.newest(), known.trouble());
    }

    @Override
    public void writeTo(MetricsText text) {
        Progress known = progress();
        boolean connected = known.trouble() == null && !isOpen();
        text.gauge("brain_standby_connected", "1 if the server follows its source now.")
                .value(connected ? 1 : 0);
        text.gauge("brain_standby_lag_revisions", "Revisions of the source not applied yet.")
                .value(isOpen() ? 0 : known.lag());
    }

    /**
     * Moves the cluster here. Fails with an {@link IOException}: then the source goes on, unless
     * the message says that the cluster has moved.
     */
    CompletableFuture<Cutover.Report> cutover() {
        CompletableFuture<Cutover.Moved> moved = new CompletableFuture<>();
        if (isOpen() || stopped || !request.compareAndSet(null, moved)) {
            return CompletableFuture.failedFuture(
                    new IOException(
                            stopped
                                    ? "the source is not followed any more: " + progress.trouble()
                                    : "a cutover has begun before"));
        }
        return CompletableFuture.supplyAsync(() -> compareAndMove(moved), comparisons)
                .whenComplete((report, failure) -> request.set(null));
    }

    private Cutover.Report compareAndMove(CompletableFuture<Cutover.Moved> moved) {
        try {
            var unused = histories.requireEqual(revision());
            compared = moved;
            Cutover.Moved done = BackendTarget.result(moved);
            try {
                Side.History equal = histories.requireEqual(done.revision());
                long gap = TimeUnit.NANOSECONDS.toMillis(openedNanos - done.heldNanos());
                long hash = Integer.toUnsignedLong(equal.hash());
                Cutover.Report report =
                        new Cutover.Report(done.revision(), hash, equal.compacted(), gap);
                LOG.info("the cluster has moved here: {}", report);
                return report;
            } catch (IOException different) {
                throw new IOException(MOVED_BUT + different.getMessage(), different);
            }
        } catch (IOException failure) {
            LOG.error("cutover failed: {}", failure.getMessage());
            throw new CompletionException(failure);
        }
    }

    private void run() {
        try {
            while (!stopped && !isOpen()) {
                tryToFollow();
            }
            keepLeases();
        } finally {
            stopped = true;
            CompletableFuture<Cutover.Moved> open = request.get();
            if (open != null) {
                open.completeExceptionally(new IOException("the source is not followed any more"));
            }
        }
    }

    private void tryToFollow() {
        try {
            follow();
        } catch (CompactedException gone) {
            LOG.error(
                    "the source has compacted what the standby lacks: begin again with an empty"
                            + " data directory: {}",
                    gone.getMessage());
            report(gone.getMessage());
            stopped = true;
        } catch (IOException | RuntimeException failure) {
            report(failure.getMessage());
            if (!stopped) {
                LOG.warn("cannot follow the source, trying again: {}", failure.getMessage());
                pause();
            }
        }
    }

    /** The source's leases must not end while it is fenced, or there would be no way back to it. */
    private void keepLeases() {
        boolean said = false;
        while (!stopped) {
            try {
                if (cluster.isFenced()) {
                    keepLeasesWhileFenced();
                }
            } catch (IOException away) {
                if (!said) {
                    LOG.warn("cannot keep the source's leases: {}", away.getMessage());
                }
                said = true;
            }
            pause();
        }
    }

    private void keepLeasesWhileFenced() throws IOException {
        try (TargetLeases kept = TargetLeases.keep(cluster, channel)) {
            LOG.info("keeping leases of the source alive count={}", kept.count());
            while (!stopped && cluster.isFenced()) {
                pause();
            }
        }
    }

    private void report(String trouble) {
        progress = new Progress(revision(), progress.newest(), trouble);
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException stop) {
            stopped = true;
        }
    }

    /** Follows until the cutover, or until a cutover has failed. */
    private void follow() throws IOException {
        Standby term = standby.get();
        if (term == null ? stored.getAsLong() == 0 : !term.isActive()) {
            open(); // another server did the cutover, or the answer to its end was lost
            return;
        } else if (term == null) {
            throw new IOException("this server does not lead");
        }
        state.inspect(term.source(), term::proof);
        calls.passage().resume();
        failed.accept("");
        failed = prefix -> {};
        BackendTarget target =
                new BackendTarget(term, cluster, BackendTarget.result(term.leases()));
        Upkeep upkeep = new Upkeep(histories, cluster, channel, target);
        try (RevisionTail tail = new RevisionTail(cluster.name(), channel, term.revision() + 1)) {
            Mirror mirror = new Mirror(tail, target);
            long due = System.nanoTime();
            while (!stopped) {
                var unused = mirror.step(STEP);
                progress = new Progress(mirror.taken(), tail.newest(), tail.trouble());
                CompletableFuture<Cutover.Moved> moved = compared;
                if (moved != null) {
                    compared = null;
                    cutover(moved, new Cutover(term, backend, cluster, mirror, upkeep));
                    return;
                } else if (System.nanoTime() - due >= 0 && mirror.lag() == 0) {
                    state.inspect(term.source(), term::proof);
                    upkeep.run();
                    due = System.nanoTime() + UPKEEP_NANOS;
                }
            }
        }
    }

    private void cutover(CompletableFuture<Cutover.Moved> moved, Cutover cutover) {
        try {
            Cutover.Moved done = cutover.run(calls.passage());
            open();
            moved.complete(done);
        } catch (IOException | RuntimeException failure) {
            if (calls.passage().isHeld()) {
                failed =
                        prefix ->
                                moved.completeExceptionally(
                                        new IOException(prefix + failure.getMessage(), failure));
            } else {
                moved.completeExceptionally(failure);
            }
        }
    }

    private void open() {
        calls.open();
        openedNanos = System.nanoTime();
        failed.accept(MOVED_BUT);
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        comparisons.shutdownNow();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(2));
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}
