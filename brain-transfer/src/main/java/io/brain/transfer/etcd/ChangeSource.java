package io.brain.transfer.etcd;

import io.brain.backend.model.Alarm;
import io.brain.backend.store.AuthRecord;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.util.SortedSet;

/**
 * What an import reads: the history of a cluster, and its state besides keys. Not thread-safe.
 * Methods throw an {@link IOException} whose message is one line if the source is not intact.
 */
public interface ChangeSource {
    /** Receives what is read. */
    @FunctionalInterface
    interface Visitor<T> {
        void visit(T item) throws IOException;
    }

    /** Changes in order of revision and sub-revision. */
    @FunctionalInterface
    interface Changes {
        /** The next change; null at the end. */
        EtcdChange next() throws IOException;
    }

    /** A user or a role: its message as it is stored. */
    record Named(Bytes name, Bytes stored) {}

    /** Estimated bytes of all changes. */
    long length();

    /** SHA-256 of the content. */
    Bytes sha256();

    /** The newest revision; 1 without changes. */
    long newestRevision();

    /** The oldest readable revision; -1 if nothing was compacted. */
    long compactedRevision();

    /**
     * The changes from a position on; none is missing above the compacted revision.
     *
     * @param sub the first change of that revision; must exist above the compacted revision, if it
     *     is not 0
     */
    Changes changes(long revision, int sub) throws IOException;

    /** Visits the leases in order of their ids as unsigned numbers. */
    void leases(Visitor<EtcdLease> leases) throws IOException;

    /** The raised alarms; names of members may be those of a former cluster. */
    SortedSet<Alarm> alarms() throws IOException;

    /** State of authentication. */
    AuthRecord auth() throws IOException;

    /** Visits the users: authpb.User. */
    void users(Visitor<Named> users) throws IOException;

    /** Visits the roles: authpb.Role. */
    void roles(Visitor<Named> roles) throws IOException;
}
