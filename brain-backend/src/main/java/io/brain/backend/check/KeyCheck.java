package io.brain.backend.check;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Checks every client key: that its records can be decoded, that its revision record names its
 * newest version record, that nothing is left which compaction removed, and that a lease knows it.
 */
final class KeyCheck implements Walk.Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Extent extent;
    private final RevisionCounts counts;
    private final Findings findings;
    private Ticker ticker;
    private long keys;
    private long versions;
    private long bytes;

    /** Of the present key: an internal key; null before the first. */
    private Bytes internal;

    private Bytes key;
    private RevisionRecord newest;
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
        new Walk(snapshot, coder.dataRange()).run(this);
        finishKey();
        told.end();
    }

    long keys() {
        return keys;
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
        if (!coder.isDataKey(at)) {
            findings.store("a data record has a key of no known form: " + at);
            return;
        }
        if (internal == null || !coder.sameUserKey(internal, at)) {
            finishKey();
            begin(at);
        }
        long revision = coder.revisionOf(at);
        try {
            if (revision == 0) {
                newest(value);
            } else {
                version(revision, value);
            }
        } catch (StorageException undecodable) {
            findings.key(key, revision, "cannot be decoded: " + undecodable.getMessage());
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
        if (after != null && coder.isDataKey(after)) {
            begin(after);
            partial = true;
        }
    }

    private String place(Bytes at, String none) {
        if (at == null) {
            return none;
        }
        return coder.isDataKey(at)
                ? "key \"%s\" at revision %d".formatted(coder.userKey(at), coder.revisionOf(at))
                : "\"" + at + '"';
    }

    private void begin(Bytes at) {
        internal = at;
        key = coder.userKey(at);
        newest = null;
        last = null;
        partial = false;
        keys++;
    }

    private void newest(Bytes value) {
        newest = RevisionRecord.decode(value);
        boolean exact = newest.encode().equals(value);
        if (!exact || !extent.contains(newest.revision())) {
            findings.key(key, 0, "its revision record makes no sense: " + value);
            partial = true;
        }
    }

    private void version(long revision, Bytes value) {
        versions++;
        Version version = Version.decode(key, revision, value);
        if (version.wrong() != null) {
            findings.key(key, revision, version.wrong());
        }
        if (!extent.contains(revision)) {
            findings.key(key, revision, "is behind the newest revision, " + extent.revision());
        }
        long finished = extent.compact().finished();
        if (last != null && revision <= finished) {
            findings.key(key, last.revision(), "was replaced and compacted, but is still there");
        } else if (version.tombstone() && revision < finished) {
            findings.key(key, revision, "is a tombstone that was compacted, but is still there");
        }
        counts.stored(revision);
        last = version;
    }

    private void finishKey() {
        if (internal == null || partial) {
            return;
        }
        if (newest == null) {
            findings.key(key, last.revision(), "has no revision record");
        } else if (last == null) {
            boolean removed = newest.tombstone() && newest.revision() < extent.compact().floor();
            if (!removed) {
                findings.key(key, newest.revision(), "its newest version record is missing");
            } else if (newest.revision() < extent.compact().finished()) {
                findings.key(
                        key, newest.revision(), "was deleted and compacted, but is still known");
            }
        } else if (newest.revision() != last.revision()) {
            findings.key(
                    key,
                    newest.revision(),
                    "its newest version record is missing; there is one at revision "
                            + last.revision());
        } else if (newest.tombstone() != last.tombstone()) {
            findings.key(key, last.revision(), "its two records disagree on whether it is deleted");
        } else if (last.lease() != 0) {
            checkLease();
        }
    }

    private void checkLease() {
        String lease = Long.toHexString(last.lease());
        try {
            if (snapshot.get(coder.attachmentKey(last.lease(), key)) == null) {
                findings.key(key, last.revision(), "is not attached to its lease " + lease);
            }
            if (snapshot.get(coder.leaseKey(last.lease())) == null) {
                findings.key(key, last.revision(), "its lease does not exist: " + lease);
            }
        } catch (StorageException unreadable) {
            findings.unreadable(key, last.revision(), unreadable);
        }
    }
}
