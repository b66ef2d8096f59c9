package io.brain.transfer.kine;

import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeSource;
import java.io.IOException;

/** The rows of kine's table at one point in time. Used by one thread. */
public interface KineTable {
    /**
     * A change of a key, or a row of kine's own.
     *
     * @param id the revision
     * @param createRevision 0 in a row that creates or deletes a key
     * @param lease TTL in seconds; 0: none
     * @param value empty if the key is deleted
     */
    record Row(
            long id,
            String name,
            boolean created,
            boolean deleted,
            long createRevision,
            long lease,
            Bytes value) {}

    /** The largest id; 0 if there are no rows. */
    long newestRevision();

    /** The oldest readable revision; -1 if nothing was compacted. */
    long compactedRevision();

    /** Visits the rows, those of a name together and in order of their ids. */
    void rows(ChangeSource.Visitor<Row> visitor) throws IOException;
}
