package io.brain.transfer.etcd;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.storage.StorageException;

/**
 * Which changes to export.
 *
 * @param after the revision after which to begin: an increment; 0: all changes
 * @param revision the last revision; 0: the newest
 */
public record ExportScope(KeyFilter keys, long after, long revision) {
    /** All keys at the newest revision. */
    public static final ExportScope ALL = new ExportScope(KeyFilter.ALL, 0);

    /** Checks the revisions. */
    public ExportScope {
        if (after < 0 || revision < 0) {
            throw new IllegalArgumentException("revisions " + after + ", " + revision);
        }
    }

    /** A scope that begins with the first change. */
    public ExportScope(KeyFilter keys, long revision) {
        this(keys, 0, revision);
    }

    /** All changes after a revision. */
    public static ExportScope increment(long after) {
        return new ExportScope(KeyFilter.ALL, after, 0);
    }

    /** True if nothing is left out. */
    public boolean isAll() {
        return equals(ALL);
    }

    /** True if it has all keys and ends with the newest revision. */
    boolean isWhole() {
        return keys.equals(KeyFilter.ALL) && revision == 0;
    }

    /** The last revision to export from a history that ends at {@code newest}. */
    long lastOf(long newest) {
        return revision == 0 ? newest : revision;
    }

    /**
     * Checks that the revision can be read.
     *
     * @param compactRevision the oldest readable revision; -1 if never compacted
     * @throws StorageException kind REFUSED
     * @throws BackendException COMPACTED or FUTURE_REVISION: {@code after} cannot be continued
     */
    void requireReadable(long compactRevision, long newest) {
        if (after > newest) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (after > 0 && after < compactRevision) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
        if (revision > newest) {
            throw refused("revision " + revision + " does not exist; the newest is " + newest);
        }
        if (revision > 0 && revision < compactRevision) {
            throw refused(
                    "revision " + revision + " was compacted; the oldest is " + compactRevision);
        }
    }

    private static StorageException refused(String text) {
        return new StorageException(StorageException.Kind.REFUSED, text);
    }
}
