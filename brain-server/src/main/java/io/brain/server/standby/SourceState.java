package io.brain.server.standby;

import io.brain.transfer.mirror.SourceCluster;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a standby must know of its source besides its data. Asked by one thread; thread-safe. */
final class SourceState {
    private static final Logger LOG = LoggerFactory.getLogger(SourceState.class);

    private final SourceCluster cluster;
    private volatile boolean checked;

    /**
     * Creates an instance.
     *
     * @param checked true if the source checks its callers, or may begin to at any time
     */
    SourceState(SourceCluster cluster, boolean checked) {
        this.cluster = cluster;
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
     * @throws IOException also if the source is another cluster
     */
    void inspect(long id) throws IOException {
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
            LOG.warn("a cutover did not end: the source's writes go on");
            cluster.unfence();
        }
    }
}
