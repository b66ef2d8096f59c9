package io.brain.server.standby;

import io.brain.transfer.mirror.SourceCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a standby must know of its source besides its data. Asked by one thread; thread-safe. */
final class SourceState {
    private static final Logger LOG = LoggerFactory.getLogger(SourceState.class);
    private static final Duration PROOF_MAX = Duration.ofSeconds(5);

    private final SourceCluster cluster;
    private final LongSupplier stored;
    private volatile boolean checked;

    /**
     * Creates an instance.
     *
     * @param stored reads from the store which cluster it follows; 0: none
     * @param checked true if the source checks its callers, or may begin to at any time
     */
    SourceState(SourceCluster cluster, LongSupplier stored, boolean checked) {
        this.cluster = cluster;
        this.stored = stored;
        this.checked = checked;
    }

    /** True if the source must check the callers of all calls. */
    boolean isChecked() {
        return checked;
    }

    /**
     * Notices that authentication was enabled, and lifts a fence that a cutover has left. Blocks.
     *
     * @param id of the cluster that the store follows
     * @param proof completes when no other server had taken over: the fence may be that server's
     * @throws IOException also if the source is another cluster
     */
    void inspect(long id, Supplier<CompletableFuture<Void>> proof) throws IOException {
        if (cluster.isAuthEnabled()) { // before calls that then need a user
            checked = true;
        }
        long found = cluster.id();
        if (found != id) {
            throw new IOException(
                    "%s is the cluster %x, and the store follows %x"
                            .formatted(cluster.name(), found, id));
        }
        if (cluster.isFenced()) {
            BackendTarget.await(proof.get(), PROOF_MAX, "the store does not answer");
            if (stored.getAsLong() == 0) {
                throw new IOException("another server did the cutover");
            }
            LOG.warn("a cutover did not end: the source's writes go on");
            cluster.unfence();
        }
    }
}
