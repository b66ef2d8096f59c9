package io.brain.server.standby;

import com.google.protobuf.Message;
import io.brain.backend.Backend;
import io.brain.backend.cluster.election.Standby;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.server.grpc.IncomingCall.Request;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import io.brain.transfer.mirror.CompactedException;
import io.brain.transfer.mirror.Mirror;
import io.brain.transfer.mirror.RevisionTail;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.mirror.TargetLeases;
import io.grpc.Channel;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the source until the cutover. One thread applies the source's revisions, and does the
 * cutover between two of them; calls of clients may come from any thread.
 */
public final class Following implements MetricsSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Following.class);

    private static final Duration STEP = Duration.ofMillis(20);
    private static final long UPKEEP_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_MILLIS = 1000;
    private static final int REQUESTS_MAX = 16;

    private final Supplier<Standby> standby;
    private final Backend backend;
    private final SourceCluster cluster;
    private final Channel channel;
    private final Source source;
    private final Passage passage = new Passage();
    private final SourceReads reads;
    private final CompletableFuture<Void> moved = new CompletableFuture<>();
    private final BlockingQueue<CompletableFuture<Cutover.Report>> requests =
            new ArrayBlockingQueue<>(REQUESTS_MAX);
    private final Thread thread;
    private volatile boolean stopped;
    private volatile Progress progress;

    /**
     * What is known of the source.
     *
     * @param revision the newest that this server has
     * @param newest the newest that the source is known to have
     * @param trouble why the source is not followed now; null: it is
     */
    public record Progress(long revision, long newest, String trouble) {
        /** Revisions that this server does not have, as far as they are known. */
        public long lag() {
            return Math.max(0, newest - revision);
        }
    }

    /**
     * Follows a source from {@link #start} on; the caller closes the channel.
     *
     * @param standby of the current term, active; null while there is none
     * @param name of the source, for messages
     */
    public Following(Supplier<Standby> standby, Backend backend, String name, Channel channel) {
        this.standby = standby;
        this.backend = backend;
        this.channel = channel;
        this.cluster = new SourceCluster(name, channel);
        this.source = new Source(channel);
        this.reads = new SourceReads(source::newestRevision, this::await);
        this.progress = new Progress(0, 0, "not connected yet");
        this.thread = new Thread(this::run, "brain-standby");
        thread.setDaemon(true);
    }

    public void start() {
        LOG.info("following source={} revision={}", cluster.name(), revision());
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

    /** True after the cutover. */
    public boolean isOpen() {
        return passage.isOpen();
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
     * Passes a call to the source; completes with its response when this server has the revision in
     * it, or with null after the cutover.
     */
    CompletableFuture<byte[]> pass(String method, Message request) {
        return passage.enter()
                .thenCompose(
                        toSource ->
                                toSource
                                        ? answer(method, request)
                                        : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<byte[]> answer(String method, Message request) {
        return source.call(method, request)
                .whenComplete((response, failure) -> passage.leave())
                .thenCompose(
                        response ->
                                reads.await(Source.revision(response))
                                        .thenApply(shown -> response));
    }

    /** Completes with null when this server has what the source had. */
    CompletableFuture<byte[]> confirm() {
        return reads.newest()
                .handle((done, failure) -> failure)
                .thenCompose(
                        failure ->
                                failure == null || isOpen()
                                        ? CompletableFuture.completedFuture(null)
                                        : CompletableFuture.failedFuture(failure));
    }

    /** Lets the source serve a stream. */
    <Q extends Message> ServerCall.Listener<Request<Q>> stream(
            ServerCall<Request<Q>, Object> call, String method, MethodType type) {
        return new PassedStream<>(call, source.start(method, type), moved);
    }

    /** Moves the cluster here; fails with an {@link IOException}, and then nothing has changed. */
    CompletableFuture<Cutover.Report> cutover() {
        CompletableFuture<Cutover.Report> report = new CompletableFuture<>();
        if (isOpen() || !requests.offer(report)) {
            report.completeExceptionally(new IOException("a cutover has begun before"));
        }
        return report;
    }

    private void run() {
        while (!stopped && !isOpen()) {
            try {
                follow();
            } catch (CompactedException gone) {
                LOG.error(
                        "the source has compacted what the standby lacks: begin again with an empty"
                                + " data directory: {}",
                        gone.getMessage());
                report(gone.getMessage());
                return;
            } catch (IOException failed) {
                report(failed.getMessage());
                if (!stopped) {
                    LOG.warn("cannot follow the source, trying again: {}", failed.getMessage());
                    pause();
                }
            }
        }
        requests.forEach(one -> one.completeExceptionally(new IOException("the server stops")));
        if (isOpen()) {
            keepLeases();
        }
    }

    /** The source's leases must not end while it is fenced, or there would be no way back to it. */
    private void keepLeases() {
        try (TargetLeases kept = TargetLeases.keep(cluster, channel)) {
            LOG.info("keeping leases of the source alive count={}", kept.count());
            while (!stopped && cluster.isFenced()) {
                pause();
            }
        } catch (IOException gone) {
            LOG.info("the source's leases are not kept any more: {}", gone.getMessage());
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

    private void follow() throws IOException {
        Standby term = standby.get();
        if (term == null) {
            throw new IOException("this server has no term");
        }
        BackendTarget target =
                new BackendTarget(
                        term, cluster, BackendTarget.result(backend.submit(new ListLeases())));
        Upkeep upkeep = new Upkeep(backend, cluster, channel, target);
        try (RevisionTail tail = new RevisionTail(cluster.name(), channel, term.revision() + 1)) {
            Mirror mirror = new Mirror(tail, target);
            long due = System.nanoTime();
            while (!stopped && !isOpen()) {
                var unused = mirror.step(STEP);
                progress = new Progress(mirror.taken(), tail.newest(), tail.trouble());
                CompletableFuture<Cutover.Report> request = requests.poll();
                if (request != null) {
                    cutover(
                            request,
                            new Cutover(
                                    term,
                                    cluster,
                                    mirror,
                                    upkeep,
                                    passage,
                                    () -> moved.complete(null)));
                } else if (System.nanoTime() - due >= 0 && mirror.lag() == 0) {
                    upkeep.run();
                    due = System.nanoTime() + UPKEEP_NANOS;
                }
            }
        }
    }

    private void cutover(CompletableFuture<Cutover.Report> request, Cutover cutover) {
        try {
            Cutover.Report report = cutover.run();
            LOG.info("the cluster has moved here: {}", report);
            request.complete(report);
        } catch (IOException | RuntimeException failed) {
            LOG.error("cutover failed: {}", failed.getMessage());
            request.completeExceptionally(failed);
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(2));
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}
