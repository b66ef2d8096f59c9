package io.brain.transfer.load;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdChange;
import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Reads everything in a database before anything is written, so that one that is damaged or does
 * not fit leaves the store as it is.
 */
final class Survey {
    private static final int NAMED_MAX = 5;
    private static final int NAME_BYTES_MAX = 64;

    private final ImportOptions options;
    private final KeyCoder coder;

    /** The longest keys, with the revision of one change of each. */
    private final TreeMap<Bytes, Long> longest =
            new TreeMap<>(
                    Comparator.comparingInt(this::storedLength)
                            .reversed()
                            .thenComparing(Comparator.naturalOrder()));

    private long bytes;
    private long changes;
    private long skipped;

    Survey(ImportOptions options, KeyCoder coder) {
        this.options = options;
        this.coder = coder;
    }

    /** Bytes of the changes to import. */
    long bytes() {
        return bytes;
    }

    /** Number of changes to import. */
    long changes() {
        return changes;
    }

    /** Number of other changes. */
    long skipped() {
        return skipped;
    }

    /** Reads all; can be called once. */
    void run(ChangeSource source, StepListener listener) throws IOException {
        source.leases(lease -> {});
        source.users(user -> {});
        source.roles(role -> {});
        source.auth();
        source.alarms();
        ChangeSource.Changes all = source.changes(0, 0);
        long read = 0;
        for (EtcdChange change = all.next(); change != null; change = all.next()) {
            read += change.length();
            listener.progress("check", read, source.length());
            if (options.keys().includes(change.key())) {
                changes++;
                bytes += change.length();
                note(change);
            } else {
                skipped++;
            }
        }
    }

    private void note(EtcdChange change) {
        Bytes key = change.key();
        if (longest.size() < NAMED_MAX || storedLength(key) > storedLength(longest.lastKey())) {
            longest.put(key, change.revision());
            if (longest.size() > NAMED_MAX) {
                longest.pollLastEntry();
            }
        }
    }

    /**
     * Checks that a store takes all keys.
     *
     * @throws StorageException kind TOO_LARGE if it does not
     */
    void requireFit(KvStorage storage) {
        List<String> names = new ArrayList<>();
        longest.forEach(
                (key, revision) -> {
                    if (storedLength(key) > storage.keyBytesMax()) {
                        names.add(
                                "\"%s\" of %d bytes at revision %d"
                                        .formatted(shortened(key), key.length(), revision));
                    }
                });
        if (!names.isEmpty()) {
            throw new StorageException(
                    StorageException.Kind.TOO_LARGE,
                    "the storage takes keys of at most %d bytes; too long are: %s%s"
                            .formatted(
                                    storage.keyBytesMax(),
                                    String.join("; ", names),
                                    names.size() == NAMED_MAX ? "; perhaps others" : ""));
        }
    }

    /** Length of the longest stored key of a key. */
    private int storedLength(Bytes key) {
        int attachment = coder.attachments().key(0, Bytes.EMPTY).length() + key.length();
        return Math.max(coder.historyKeyLength(key), attachment);
    }

    private static String shortened(Bytes key) {
        return key.length() <= NAME_BYTES_MAX
                ? key.toString()
                : Bytes.copyOf(key.array(), 0, NAME_BYTES_MAX) + "...";
    }
}
