package io.brain.admin.check;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.util.function.BiConsumer;

/**
 * What all checks of a store share.
 *
 * @param fence null if it is missing or damaged
 * @param counts versions by revision, as stored and as logged
 */
record CheckedStore(
        Snapshot snapshot,
        KeyCoder coder,
        Fence fence,
        CompactRecord compact,
        RevisionCounts counts,
        Totals totals,
        Findings findings) {
    /** Counters of what was read so far; see {@link CheckReport}. */
    static final class Totals {
        long keys;
        long versions;
        long bytes;
        long events;
        long leases;
        long attachments;

        /** Keys that exist. */
        long liveKeys;
    }

    /** Larger revisions are not stored. */
    static final long REVISION_MAX = Long.MAX_VALUE >> 1;

    /** The newest revision; the maximum if it is unknown. */
    long revision() {
        return fence == null ? REVISION_MAX : fence.revision();
    }

    /** True if a record can have this revision. */
    boolean contains(long revision) {
        return revision > 1 && revision <= revision();
    }

    /** True if versions below the compact revision may still be stored. */
    boolean isCompacting() {
        return compact.finished() < compact.floor();
    }

    /** Passes all readable pairs of a range on, and reports its unreadable parts. */
    void scan(String name, KeyRange range, BiConsumer<Bytes, Bytes> pairs) {
        new SkippingScan(snapshot, range)
                .run(pairs, (before, after, cause) -> findings.gap(name, before, after, cause));
    }

    /** Checks a decoded version; reports what is wrong with it. */
    boolean isSound(Bytes key, VersionRecord version) {
        String fault = fault(key, version);
        if (fault == null && !contains(version.revision())) {
            fault = "is newer than the revision of the store, " + revision();
        }
        if (fault != null) {
            findings.key(key, version.revision(), fault);
        }
        return fault == null;
    }

    /** Describes what is wrong with a version stored under a key; null if nothing is. */
    static String fault(Bytes key, VersionRecord version) {
        KeyValue kv = KeyValue.decode(version.kv());
        if (version.sub() < 0) {
            return "has an invalid trailer";
        } else if (version.isTombstone()) {
            return null;
        } else if (!kv.key().equals(key)) {
            return "contains another key, \"" + kv.key() + '"';
        } else if (kv.modRevision() != version.revision()) {
            return "contains another revision, " + kv.modRevision();
        }
        // Within one revision a key can be created and changed again.
        long versionMin = kv.createRevision() == kv.modRevision() ? 1 : 2;
        boolean inOrder = kv.createRevision() > 1 && kv.createRevision() <= kv.modRevision();
        return inOrder && kv.version() >= versionMin
                ? null
                : "has create revision %d and version %d"
                        .formatted(kv.createRevision(), kv.version());
    }
}
