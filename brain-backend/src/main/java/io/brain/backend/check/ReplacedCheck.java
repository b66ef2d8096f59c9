package io.brain.backend.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Checks the versions in the history: that each can be decoded, that its key has a newer head, and
 * that nothing is left which compaction removed.
 */
final class ReplacedCheck implements Walk.Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Extent extent;
    private final RevisionCounts counts;
    private final Findings findings;
    private Ticker ticker;
    private long earlier;
    private long versions;
    private long bytes;

    /** Of the present key: where a version of it is; null before the first. */
    private Bytes internal;

    private Bytes key;

    /** The revision of the version that replaced the next one to come; 0: it is not known. */
    private long newer;

    ReplacedCheck(CheckedStore store) {
        snapshot = store.snapshot();
        coder = store.coder();
        extent = store.extent();
        counts = store.counts();
        findings = store.findings();
    }

    /** Reads the whole history; tells how many bytes it has seen, {@code before} it some more. */
    void run(Ticker told, long before) {
        ticker = told;
        earlier = before;
        new Walk(snapshot, coder.history()).run(this);
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
        ticker.reached(earlier + bytes);
        if (!coder.isHistoryKey(at)) {
            findings.store("a version has a key of no known form: " + at);
            return;
        }
        versions++;
        if (internal == null || !KeyCoder.sameUserKey(internal, at)) {
            begin(at);
        }
        long revision = KeyCoder.revisionOf(at);
        try {
            check(revision, Version.decode(key, value));
        } catch (StorageException undecodable) {
            findings.key(key, revision, "cannot be decoded: " + undecodable.getMessage());
        }
        newer = revision;
    }

    @Override
    public void gap(Bytes before, Bytes after, StorageException why) {
        findings.gap(
                "in the history between %s and %s"
                        .formatted(place(before, "the first key"), place(after, "the last key")),
                why);
        internal = null;
        if (after != null && coder.isHistoryKey(after)) {
            begin(after);
            newer = 0;
        }
    }

    private void begin(Bytes at) {
        internal = at;
        key = coder.keyOfHistory(at);
        newer = 0;
        long revision = KeyCoder.revisionOf(at);
        try {
            Bytes head = snapshot.get(coder.headKey(key));
            if (head == null) {
                findings.key(key, revision, "is in the history of a key that has no head");
                return;
            }
            newer = VersionRecord.decode(head).revision();
            if (newer <= revision) {
                findings.key(key, revision, "is in the history, but the head is at " + newer);
            }
        } catch (StorageException unreadable) {
            if (unreadable.kind() != StorageException.Kind.CORRUPT) {
                throw unreadable;
            }
            // The check of the heads has told of it.
        }
    }

    private void check(long revision, Version version) {
        counts.stored(revision);
        if (version.revision() != revision) {
            findings.key(key, revision, "holds another revision, " + version.revision());
        } else if (findings.isSound(key, version, extent)
                && newer != 0
                && newer <= extent.compact().finished()) {
            findings.key(key, revision, "was replaced and compacted, but is still there");
        }
    }

    private String place(Bytes at, String none) {
        if (at == null) {
            return none;
        }
        return coder.isHistoryKey(at)
                ? "key \"%s\" at revision %d"
                        .formatted(coder.keyOfHistory(at), KeyCoder.revisionOf(at))
                : "\"" + at + '"';
    }
}
