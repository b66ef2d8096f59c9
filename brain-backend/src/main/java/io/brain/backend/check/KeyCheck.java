package io.brain.backend.check;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Checks every client key: that its records can be decoded, that its revision record names its
 * newest version record, that nothing is left which compaction removed, and that a lease knows it.
 * Goes over the versions; {@link RecordCheck} goes over the revision records.
 */
final class KeyCheck implements Walk.Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Extent extent;
    private final RevisionCounts counts;
    private final Findings findings;
    private Ticker ticker;
    private long keys;
    private long live;
    private long recorded;
    private long versions;
    private long bytes;

    /** Of the present key: an internal key; null before the first. */
    private Bytes internal;

    private Bytes key;

    /** Its newest version, and the last one met; null before the first. */
    private Version newest;

    private Version last;

    /** True if not all records of the present key could be read, so that no two can be compared. */
    private boolean partial;

    KeyCheck(
            Snapshot snapshot,
            KeyCoder coder,
            Extent extent,
            RevisionCounts counts,
            Findings findings) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.extent = extent;
        this.counts = counts;
        this.findings = findings;
    }

    /** Reads all keys; tells how many of their bytes it has seen. */
    void run(Ticker told) {
        ticker = told;
        new Walk(snapshot, coder.versions()).run(this);
        finishKey();
        RecordCheck records = new RecordCheck(snapshot, coder, extent, findings);
        records.run(told, bytes, recorded);
        keys += records.keys();
        live = records.live();
        bytes += records.bytes();
        told.end();
    }

    long keys() {
        return keys;
    }

    /** Keys that exist. */
    long live() {
        return live;
    }

    long versions() {
        return versions;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public void pair(Bytes at, Bytes value) {
        bytes += at.length() + value.length();
        ticker.reached(bytes);
        if (!coder.isVersionKey(at)) {
            findings.store("a version has a key of no known form: " + at);
            return;
        }
        if (internal == null || !KeyCoder.sameUserKey(internal, at)) {
            finishKey();
            begin(at);
        }
        try {
            version(at, value);
        } catch (StorageException undecodable) {
            findings.key(
                    key, KeyCoder.revisionOf(at), "cannot be decoded: " + undecodable.getMessage());
            partial = true;
        }
    }

    @Override
    public void gap(Bytes before, Bytes after, StorageException why) {
        findings.gap(
                "between %s and %s"
                        .formatted(place(before, "the first key"), place(after, "the last key")),
                why);
        partial = true;
        finishKey();
        internal = null;
        if (after != null && coder.isVersionKey(after)) {
            begin(after);
            partial = true;
        }
    }

    private String place(Bytes at, String none) {
        if (at == null) {
            return none;
        }
        return coder.isVersionKey(at)
                ? "key \"%s\" at revision %d".formatted(coder.userKey(at), KeyCoder.revisionOf(at))
                : "\"" + at + '"';
    }

    private void begin(Bytes at) {
        internal = at;
        key = coder.userKey(at);
        newest = null;
        last = null;
        partial = false;
    }

    private void version(Bytes at, Bytes value) {
        versions++;
        long revision = KeyCoder.revisionOf(at);
        Version version = Version.decode(key, revision, value);
        if (version.wrong() != null) {
            findings.key(key, revision, version.wrong());
        } else if (version.tombstone() != KeyCoder.isTombstone(at)) {
            findings.key(key, revision, "its place and its record disagree on whether it lives");
        }
        if (!extent.contains(revision)) {
            findings.key(key, revision, "is behind the newest revision, " + extent.revision());
        }
        long finished = extent.compact().finished();
        if (last != null && last.revision() <= finished) {
            findings.key(key, revision, "was replaced and compacted, but is still there");
        } else if (version.tombstone() && revision < finished) {
            findings.key(key, revision, "is a tombstone that was compacted, but is still there");
        }
        counts.stored(revision);
        newest = newest == null ? version : newest;
        last = version;
    }

    private void finishKey() {
        if (internal == null || partial) {
            return;
        }
        Bytes stored;
        try {
            stored = snapshot.get(coder.revisionKey(key));
        } catch (StorageException unreadable) {
            RecordCheck.skip(unreadable);
            return;
        }
        if (stored == null) {
            keys++;
            findings.key(key, newest.revision(), "has no revision record");
            return;
        }
        recorded++;
        if (!RecordCheck.makesSense(stored, extent)) {
            return; // which is told there
        }
        RevisionRecord record = RevisionRecord.decode(stored);
        if (record.revision() != newest.revision()) {
            findings.key(
                    key,
                    record.revision(),
                    "its newest version record is missing; there is one at revision "
                            + newest.revision());
        } else if (record.tombstone() != newest.tombstone()) {
            findings.key(
                    key, newest.revision(), "its two records disagree on whether it is deleted");
        } else if (newest.lease() != 0) {
            checkLease();
        }
    }

    private void checkLease() {
        String lease = Long.toHexString(newest.lease());
        try {
            if (snapshot.get(coder.attachmentKey(newest.lease(), key)) == null) {
                findings.key(key, newest.revision(), "is not attached to its lease " + lease);
            }
            if (snapshot.get(coder.leaseKey(newest.lease())) == null) {
                findings.key(key, newest.revision(), "its lease does not exist: " + lease);
            }
        } catch (StorageException unreadable) {
            findings.unreadable(key, newest.revision(), unreadable);
        }
    }
}
