package io.brain.server.standby;

import io.brain.backend.Backend;
import io.brain.backend.cluster.election.Standby;
import io.brain.transfer.mirror.Mirror;
import io.brain.transfer.mirror.SourceCluster;
import java.io.IOException;
import java.time.Duration;

/**
 * Moves the cluster from the source to this server: holds clients' changes, fences the source,
 * applies its last revision, ends the standby. Used by the thread that follows the source, which
 * opens the server afterwards, or lifts the fence if this fails.
 */
public final class Cutover {
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final Standby standby;
    private final Backend backend;
    private final SourceCluster source;
    private final Mirror mirror;
    private final Upkeep upkeep;

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
     * The standby has ended.
     *
     * @param revision the last one of the source
     * @param heldNanos since when changes wait, as System.nanoTime
     */
    record Moved(long revision, long heldNanos) {}

    /**
     * Prepares a cutover.
     *
     * @param mirror brings the source's revisions here
     */
    Cutover(Standby standby, Backend backend, SourceCluster source, Mirror mirror, Upkeep upkeep) {
        this.standby = standby;
        this.backend = backend;
        this.source = source;
        this.mirror = mirror;
        this.upkeep = upkeep;
    }

    /**
     * Does it.
     *
     * @throws IOException why the cluster has not moved, or perhaps not: then the standby tells
     */
    Moved run(Passage passage) throws IOException {
        requireSameUsers();
        upkeep.leases();
        mirror.drainTo(source.newestRevision(), DRAIN);
        long heldNanos = System.nanoTime();
        BackendTarget.await(passage.holdAll(), DRAIN, "calls at the source did not end");
        source.fence();
        long last = source.newestRevision();
        mirror.drainTo(last, DRAIN);
        upkeep.leases();
        requireSameUsers();
        if (!source.isFenced()) {
            throw new IOException("the fence of the source was lifted: try again");
        }
        var unused = BackendTarget.result(standby.end());
        return new Moved(last, heldNanos);
    }

    /** A watch tells nothing of users and roles. */
    private void requireSameUsers() throws IOException {
        long revision = source.authRevision();
        boolean sameRevision = revision < 0 || revision == backend.auth().revision();
        if (!sameRevision || source.isAuthEnabled() != backend.auth().enabled()) {
            throw new IOException(
                    "users or roles of the source have changed: begin again with an empty data"
                            + " directory");
        }
    }
}
