package io.brain.backend.check;

import io.brain.backend.check.Walk.Visitor;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Checks every revision record: that it can be decoded, and that its key has versions. Whether it
 * agrees with the newest of them {@link KeyCheck} has found out.
 */
final class RecordCheck implements Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Extent extent;
    private final Findings findings;
    private long keys;
    private long live;
    private long bytes;

    RecordCheck(Snapshot snapshot, KeyCoder coder, Extent extent, Findings findings) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.extent = extent;
        this.findings = findings;
    }

    /**
     * Reads all revision records.
     *
     * @param told how many bytes were read, {@code before} of them earlier
     * @param withVersions how many keys have both a revision record and versions
     */
    void run(Ticker told, long before, long withVersions) {
        Walk walk = new Walk(snapshot, coder.revisionRecords());
        walk.run(
                new Visitor() {
                    @Override
                    public void pair(Bytes at, Bytes value) {
                        keys++;
                        bytes += at.length() + value.length();
                        told.reached(before + bytes);
                        if (makesSense(value, extent)) {
                            live += RevisionRecord.decode(value).tombstone() ? 0 : 1;
                        } else {
                            findings.key(
                                    coder.recordedKey(at),
                                    0,
                                    "its revision record makes no sense, of %d bytes"
                                            .formatted(value.length()));
                        }
                    }

                    @Override
                    public void gap(Bytes from, Bytes to, StorageException why) {
                        findings.gap(
                                "of the revision records between %s and %s"
                                        .formatted(place(from, "the first"), place(to, "the last")),
                                why);
                    }
                });
        if (keys != withVersions) {
            walk.run(this);
        }
    }

    long keys() {
        return keys;
    }

    /** Keys whose newest version is no tombstone. */
    long live() {
        return live;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public void pair(Bytes at, Bytes value) {
        if (makesSense(value, extent)) {
            try {
                checkVersions(coder.recordedKey(at), RevisionRecord.decode(value));
            } catch (StorageException unreadable) {
                skip(unreadable);
            }
        }
    }

    @Override
    public void gap(Bytes from, Bytes to, StorageException why) {
        skip(why);
    }

    /** True if a revision record is one that could have been written. */
    static boolean makesSense(Bytes stored, Extent extent) {
        return stored.length() == RevisionRecord.LENGTH
                && RevisionRecord.decode(stored).encode().equals(stored)
                && extent.contains(RevisionRecord.decode(stored).revision());
    }

    /**
     * Passes over what a walk of its own has met.
     *
     * @throws StorageException {@code unreadable}, if it is no damage
     */
    static void skip(StorageException unreadable) {
        if (unreadable.kind() != StorageException.Kind.CORRUPT) {
            throw unreadable;
        }
    }

    private void checkVersions(Bytes key, RevisionRecord newest) {
        if (hasVersions(key)) {
            return;
        }
        boolean removed = newest.tombstone() && newest.revision() < extent.compact().floor();
        if (!removed) {
            findings.key(key, newest.revision(), "its newest version record is missing");
        } else if (newest.revision() < extent.compact().finished()) {
            findings.key(key, newest.revision(), "was deleted and compacted, but is still known");
        }
    }

    private boolean hasVersions(Bytes key) {
        try (Cursor cursor =
                snapshot.cursor(coder.versions(KeySpan.of(key)), Cursor.Direction.FORWARD)) {
            return cursor.next();
        }
    }

    private String place(Bytes at, String none) {
        return at == null ? none : "key \"%s\"".formatted(coder.recordedKey(at));
    }
}
