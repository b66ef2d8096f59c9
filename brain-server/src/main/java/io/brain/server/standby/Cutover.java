package io.brain.server.standby;

import io.brain.backend.cluster.election.Standby;
import io.brain.transfer.mirror.Mirror;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.verify.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Moves the cluster from the source to this server: holds clients' changes, fences the source,
 * applies its last revision, opens this server. Used by the thread that follows the source.
 */
public final class Cutover {
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final Standby standby;
    private final SourceCluster source;
    private final Mirror mirror;
    private final Upkeep upkeep;
    private final Passage passage;
    private final Runnable opened;

    /**
     * What was done.
     *
     * @param revision the last one of the source
     * @param hash etcd's HashKV of it, on both, as an unsigned number
     * @param compactRevision of both
     * @param gapMillis for which changes waited
     */
    public record Report(long revision, long hash, long compactRevision, long gapMillis) {}

    /**
     * Prepares a cutover.
     *
     * @param mirror brings the source's revisions here
     * @param opened called when this server accepts changes
     */
    Cutover(
            Standby standby,
            SourceCluster source,
            Mirror mirror,
            Upkeep upkeep,
            Passage passage,
            Runnable opened) {
        this.standby = standby;
        this.source = source;
        this.mirror = mirror;
        this.upkeep = upkeep;
        this.passage = passage;
        this.opened = opened;
    }

    /**
     * Does it. Writes wait from the hold to the end of the standby; the histories are compared
     * before and after that.
     *
     * @throws IOException why the cluster has not moved; the source is as before then
     */
    Report run() throws IOException {
        mirror.drainTo(source.newestRevision(), DRAIN);
        var unusedHash = upkeep.requireEqual(mirror.taken());
        upkeep.leases();
        mirror.drainTo(source.newestRevision(), DRAIN);
        long began = System.nanoTime();
        long last;
        try {
            awaitNoneAtSource();
            source.fence();
            last = source.newestRevision();
            mirror.drainTo(last, DRAIN);
            upkeep.leases();
        } catch (IOException | RuntimeException failed) {
            liftFence(failed);
            passage.resume();
            throw failed;
        }
        var unused = BackendTarget.result(standby.end());
        passage.open();
        long gap = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        opened.run();
        try {
            Side.History equal = upkeep.requireEqual(last);
            long hash = Integer.toUnsignedLong(equal.hash());
            return new Report(last, hash, equal.compacted(), gap);
        } catch (IOException different) {
            throw new IOException(
                    "the cluster has moved, but: " + different.getMessage(), different);
        }
    }

    private void awaitNoneAtSource() throws IOException {
        CompletableFuture<Void> none = passage.holdAll();
        try {
            BackendTarget.result(none.orTimeout(DRAIN.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IOException failed) {
            throw failed.getCause() instanceof TimeoutException
                    ? new IOException("calls at the source did not end", failed)
                    : failed;
        }
    }

    private void liftFence(Exception reason) {
        try {
            source.unfence();
        } catch (IOException failed) {
            reason.addSuppressed(failed);
        }
    }
}
