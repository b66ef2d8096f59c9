package io.brain.transfer.backup;

import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** The cluster to back up. Errors are {@link IOException}s with a message of one line. */
public interface BackedUpCluster {
    /** The cluster's ID. */
    long id() throws IOException;

    /**
     * Receives the database.
     *
     * @param after the revision after which to begin; 0: all
     * @param file receives the database without a hash; empty, and left open
     * @return false if changes after the revision were compacted, or the cluster never had it
     */
    boolean receive(long after, FileChannel file, StepListener listener) throws IOException;
}
