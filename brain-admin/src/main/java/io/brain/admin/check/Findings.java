package io.brain.admin.check;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.util.function.Consumer;

/** Counts what is damaged, and passes it on at once. Used by one thread. */
final class Findings {
    private final Consumer<Damage> listener;
    private long count;
    private boolean sawAll = true;

    Findings(Consumer<Damage> listener) {
        this.listener = listener;
    }

    /** Something about a client's key; revision 0 if it is about none. */
    void key(Bytes key, long revision, String what) {
        count++;
        listener.accept(new Damage(key, revision, what));
    }

    /** Something that is about no client's key. */
    void store(String what) {
        key(null, 0, what);
    }

    /** A stretch that cannot be read: what is counted is not all. */
    void gap(String where, StorageException why) {
        sawAll = false;
        store(where + " nothing can be read: " + why.getMessage());
    }

    /**
     * A record of a key that cannot be read.
     *
     * @throws StorageException {@code why}, if it is of another kind than CORRUPT
     */
    void unreadable(Bytes key, long revision, StorageException why) {
        if (why.kind() != StorageException.Kind.CORRUPT) {
            throw why;
        }
        sawAll = false;
        key(key, revision, why.getMessage());
    }

    /** Tells what is wrong with a version by itself; true if nothing is. */
    boolean isSound(Bytes key, Version version, Extent extent) {
        if (version.wrong() != null) {
            key(key, version.revision(), version.wrong());
            return false;
        }
        if (!extent.contains(version.revision())) {
            key(key, version.revision(), "is behind the newest revision, " + extent.revision());
            return false;
        }
        return true;
    }

    /** Number of findings so far. */
    long count() {
        return count;
    }

    /** True if everything could be read so far. */
    boolean sawAll() {
        return sawAll;
    }
}
