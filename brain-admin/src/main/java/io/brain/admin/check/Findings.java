package io.brain.admin.check;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.util.function.Consumer;

/** Reports damage, one line each, and counts it. Used by one thread. */
final class Findings {
    private final KeyCoder coder;
    private final Consumer<String> listener;
    private long count;
    private boolean complete = true;

    Findings(KeyCoder coder, Consumer<String> listener) {
        this.coder = coder;
        this.listener = listener;
    }

    /** Reports damage that concerns no key. */
    void store(String damage) {
        count++;
        listener.accept(damage);
    }

    /** Reports damage of a key, or of its version at a revision; 0: none. */
    void key(Bytes key, long revision, String damage) {
        String at = revision == 0 ? "" : " at revision " + revision;
        store("key \"%s\"%s: %s".formatted(key, at, damage));
    }

    /** Reports damage that hides stored data, so that the totals are incomplete. */
    void incomplete(String damage) {
        complete = false;
        store(damage);
    }

    /** Reports an unreadable part of a range, see {@link SkippingScan.GapConsumer}. */
    void gap(String range, Bytes before, Bytes after, StorageException cause) {
        incomplete(
                "cannot read the %s between %s and %s: %s"
                        .formatted(
                                range,
                                before == null ? "the start" : name(before),
                                after == null ? "the end" : name(after),
                                cause.getMessage()));
    }

    /**
     * Reports an unreadable record.
     *
     * @param key null if the record belongs to no key
     * @throws StorageException {@code cause}, unless it is damage
     */
    void unreadable(Bytes key, long revision, StorageException cause) {
        requireDamage(cause);
        complete = false;
        if (key == null) {
            store(cause.getMessage());
        } else {
            key(key, revision, cause.getMessage());
        }
    }

    /** Throws the failure unless it reports damaged data. */
    static void requireDamage(StorageException failure) {
        if (failure.kind() != StorageException.Kind.CORRUPT) {
            throw failure;
        }
    }

    private String name(Bytes internal) {
        if (coder.heads().contains(internal)) {
            return "key \"%s\"".formatted(coder.keyOfHead(internal));
        }
        if (coder.history().contains(internal) && coder.isHistoryKey(internal)) {
            return "key \"%s\" at revision %d"
                    .formatted(coder.keyOfHistory(internal), KeyCoder.revisionOf(internal));
        }
        if (coder.log().contains(internal) && coder.isLogKey(internal)) {
            return "revision " + coder.logRevision(internal);
        }
        return "\"" + internal + '"';
    }

    /** Number of findings so far. */
    long count() {
        return count;
    }

    /** True if everything could be read so far. */
    boolean isComplete() {
        return complete;
    }
}
