package io.brain.transfer.verify;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.io.Closeable;
import java.io.IOException;

/**
 * One of two that are compared. Used by one thread. Errors are {@link IOException}s with a message
 * of one line.
 */
public interface Side extends Closeable {
    /**
     * etcd's hash of the history up to a revision.
     *
     * @param compacted the oldest readable revision; -1 or 0 if nothing was compacted
     */
    record History(int hash, long compacted) {}

    /**
     * A key that exists.
     *
     * @param kv encoded KeyValue
     */
    record Entry(Bytes key, Bytes kv) {
        /**
         * The order of the next keys of two sides: negative if {@code a} comes first; null is the
         * end.
         */
        public static int order(Entry a, Entry b) {
            if (a == null || b == null) {
                return a == null ? 1 : -1;
            }
            return a.key.compareTo(b.key);
        }
    }

    /** The keys that exist at a revision, in order. */
    interface Entries extends Closeable {
        /** The next key; null at the end. */
        Entry next() throws IOException;
    }

    long newestRevision() throws IOException;

    History history(long revision) throws IOException;

    Entries entries(KeySpan span, long revision) throws IOException;
}
