package io.brain.transfer.mirror;

import io.brain.backend.model.KeySpan;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.verify.Comparison;
import io.brain.transfer.verify.Side;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps an etcd equal to a running cluster, revision by revision, until the clients move to it. Its
 * state is the target's revision. Used by one thread. Errors are {@link IOException}s with a
 * message of one line.
 */
public final class WayBack implements AutoCloseable {
    private static final Duration DRAIN_MAX = Duration.ofMinutes(2);

    /** The target is near enough to stop the writers. */
    private static final long CUTOVER_LAG_MAX = 100;

    private final SourceCluster source;
    private final SourceCluster target;
    private final StepListener listener;
    private final EtcdTarget etcd;
    private final RevisionTail tail;
    private final Mirror mirror;

    /**
     * A cutover.
     *
     * @param revision the last one of the source
     * @param hash etcd's HashKV of both at it
     * @param millis from the fence on the source to the end of the comparison
     */
    public record CutOver(long revision, int hash, long millis) {}

    /**
     * Compares the target with the source at the target's revision. The target's leases are kept
     * alive from the beginning on.
     *
     * @throws IOException if the target is not what the source was
     */
    public WayBack(
            SourceCluster source,
            Channel sourceChannel,
            SourceCluster target,
            Channel targetChannel,
            StepListener listener)
            throws IOException {
        this.source = source;
        this.target = target;
        this.listener = listener;
        List<Long> fences = Retries.of(target::fences); // of a former cutover
        this.etcd = new EtcdTarget(source, target, targetChannel);
        try {
            // From here on the target's leases are kept alive.
            Retries.run(() -> target.lift(fences));
            requireSeeded();
            etcd.alignLeases();
            this.tail = new RevisionTail(source.name(), sourceChannel, etcd.revision() + 1);
            this.mirror = new Mirror(tail, etcd);
        } catch (IOException | RuntimeException failed) {
            etcd.close();
            fenceAgain(fences, failed);
            throw failed;
        }
    }

    private void fenceAgain(List<Long> fences, Exception failed) {
        try {
            target.raise(fences);
        } catch (IOException open) {
            failed.addSuppressed(open);
        }
    }

    private void requireSeeded() throws IOException {
        long revision = etcd.revision();
        String advice =
                "; seed the target with a snapshot of the source: etcdctl snapshot save, etcdutl"
                        + " snapshot restore";
        long newest = Retries.of(source::newestRevision);
        if (revision > newest) {
            throw new IOException(
                    "%s has revision %d, and the source only %d%s"
                            .formatted(target.name(), revision, newest, advice));
        }
        Comparison comparison;
        try {
            comparison = compare(revision);
        } catch (IOException failed) {
            throw Retries.isTransient(failed)
                    ? failed
                    : new IOException(failed.getMessage() + advice, failed);
        }
        if (!comparison.isEqual()) {
            throw new IOException(
                    "%s is not what the source was at revision %d: %s%s"
                            .formatted(
                                    target.name(),
                                    revision,
                                    comparison.differences().isEmpty()
                                            ? "the histories differ"
                                            : comparison.differences().get(0),
                                    advice));
        }
    }

    /** Compares both at a revision that both have, after compacting the target like the source. */
    private Comparison compare(long revision) throws IOException {
        return Retries.of(
                () -> {
                    Side.History history = source.hash(revision);
                    if (history.compacted() > 0) {
                        etcd.compact(history.compacted());
                    }
                    return Comparison.of(
                            source.side(), target.side(), KeySpan.ALL, revision, listener);
                });
    }

    /**
     * Brings one revision.
     *
     * @param wait how long to wait for one
     * @return false if there was none
     */
    public boolean step(Duration wait) throws IOException {
        return mirror.step(wait);
    }

    /** The newest revision that was brought to the target. */
    public long revision() {
        return mirror.taken();
    }

    /** Asks the source how many revisions the target does not have. */
    public long lag() throws IOException {
        return Math.max(0, source.newestRevision() - mirror.taken());
    }

    /** Why the source is not read now; null if it is. */
    public String trouble() {
        return tail.trouble();
    }

    /** True if the target is so near that {@link #cutOver} takes little time. */
    public boolean isNear() throws IOException {
        return Retries.of(this::lag) <= CUTOVER_LAG_MAX;
    }

    /**
     * Compares what was brought so far, and compacts the target like the source.
     *
     * @throws IOException if they differ
     */
    public void verify() throws IOException {
        etcd.await();
        requireEqual(etcd.revision());
    }

    private void requireEqual(long revision) throws IOException {
        Comparison comparison = compare(revision);
        if (!comparison.isEqual()) {
            throw new IOException(
                    "source and target differ at revision %d: %s"
                            .formatted(
                                    revision,
                                    comparison.differences().isEmpty()
                                            ? "their histories"
                                            : comparison.differences().get(0)));
        }
    }

    /**
     * True if users and roles are those of the source; also if one of them does not say.
     *
     * @see SourceCluster#authRevision
     */
    public boolean hasUsersOfSource() throws IOException {
        long first = Retries.of(source::authRevision);
        long second = Retries.of(target::authRevision);
        return first < 0 || second < 0 || first == second;
    }

    /**
     * Fences the source, brings its last revision, and compares. If that fails, the fence is lifted
     * again; otherwise it stays.
     */
    public CutOver cutOver() throws IOException {
        long began = System.nanoTime();
        try {
            Retries.run(source::fence);
            long last = Retries.of(source::newestRevision);
            mirror.drainTo(last, DRAIN_MAX);
            etcd.alignLeases();
            requireEqual(last);
            if (!hasUsersOfSource()) {
                throw new IOException("users or roles of the source have changed");
            }
            Side.History history = Retries.of(() -> target.hash(last));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            return new CutOver(last, history.hash(), millis);
        } catch (IOException | RuntimeException failed) {
            unfence(failed);
            throw failed;
        }
    }

    private void unfence(Exception failed) {
        // An interrupted thread cannot call.
        boolean interrupted = Thread.interrupted();
        try {
            source.unfence();
        } catch (IOException stays) {
            failed.addSuppressed(stays);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        tail.close();
        etcd.close();
    }
}
