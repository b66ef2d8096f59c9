package io.brain.backend.hash;

import io.brain.backend.hash.ChangeSorter.Change;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * etcd's hash of a history: the CRC-32C of the word "key" and of all changes up to a revision, in
 * order; of each its revision, its sub-revision, a "t" if it is a delete, and the stored KeyValue.
 *
 * <p>Up to the compact revision the hash covers only changes that compaction keeps and that are not
 * replaced up to the hashed revision, so it does not depend on whether compaction has removed them
 * yet. If no key exists at the hashed revision, etcd includes the replaced ones. Deletes up to the
 * compact revision are never included.
 *
 * <p>Versions are stored in order of keys, so each change is hashed separately, and the hashes are
 * sorted and joined. A change that a later one of the same revision overwrote is in the commit log.
 */
final class HistoryHash {
    private static final byte[] NAME = "key".getBytes(StandardCharsets.US_ASCII);

    private final KeyCoder coder;
    private final long revision;
    private final long floor;
    private final ChangeSorter changes;
    private final Runnable check;
    private final CRC32C crc = new CRC32C();
    private final Set<Bytes> deleted = new HashSet<>();
    private final ByteBuffer position = ByteBuffer.allocate(2 * Long.BYTES + 2);

    /** The current key's last change up to the floor; null if there is none, or it is a delete. */
    private Change old;

    /** True if the current key was changed above the floor. */
    private boolean changed;

    /** True if the current key has a version, and if it has one up to the floor. */
    private boolean seen;

    private boolean seenOld;

    /** True if the current key exists at the hashed revision. */
    private boolean exists;

    /**
     * Number of keys that exist at the hashed revision, without those that were deleted and put
     * again in that revision, as in etcd.
     */
    private long kept;

    /**
     * A hash to compute.
     *
     * @param revision the hashed revision, not below the floor; if negative, nothing is hashed
     * @param floor the compaction floor of the snapshot; -1 if never compacted
     * @param check called often; throws to cancel
     */
    HistoryHash(KeyCoder coder, long revision, long floor, ChangeSorter changes, Runnable check) {
        this.coder = coder;
        this.revision = revision;
        this.floor = floor;
        this.changes = changes;
        this.check = check;
    }

    /** Computes the hash; can be called once. */
    int of(Snapshot snapshot) throws IOException {
        if (revision > 0) {
            scanKeys(snapshot);
            scanLog(snapshot);
        }
        crc.reset();
        crc.update(NAME);
        JoinedCrc all = new JoinedCrc((int) crc.getValue());
        changes.drain(
                change -> {
                    if (!change.replaced() || kept == 0) {
                        all.add(change.crc(), change.length());
                    }
                });
        return all.value();
    }

    private void scanKeys(Snapshot snapshot) throws IOException {
        try (Cursor heads = snapshot.cursor(coder.heads(), Cursor.Direction.FORWARD);
                Cursor history = snapshot.cursor(coder.history(), Cursor.Direction.FORWARD)) {
            boolean more = history.next();
            while (heads.next()) {
                Bytes key = coder.keyOfHead(heads.key());
                Bytes end = coder.historyKey(key, 0);
                addVersion(key, heads.value());
                while (more && history.key().compareTo(end) < 0) {
                    addVersion(key, history.value());
                    more = history.next();
                }
                endKey();
            }
        }
    }

    /** Adds a version of the current key, newest first. */
    private void addVersion(Bytes key, Bytes stored) throws IOException {
        check.run();
        VersionRecord version = VersionRecord.decode(stored);
        if (version.revision() > revision) {
            return;
        }
        boolean live = !version.isTombstone();
        exists |= live && !seen;
        if (version.revision() > floor) {
            changed = true;
            changes.add(change(key, version));
        } else if (!seenOld) {
            seenOld = true;
            old = live ? change(key, version) : null;
        }
        seen = true;
    }

    private void endKey() throws IOException {
        if (old != null) {
            changes.add(new Change(old.revision(), old.sub(), changed, old.length(), old.crc()));
        }
        kept += exists ? 1 : 0;
        old = null;
        changed = false;
        seen = false;
        seenOld = false;
        exists = false;
    }

    private void scanLog(Snapshot snapshot) throws IOException {
        long from = Math.max(floor + 1, LogScan.REVISION_MIN);
        if (from > revision) {
            return;
        }
        try (LogScan log = new LogScan(snapshot, coder, from)) {
            LogEvent event = log.next();
            for (; event != null && event.revision() <= revision; event = log.next()) {
                check.run();
                if (event.revision() == revision) {
                    countDeleted(event);
                }
                if (event.inline() != null) {
                    changes.add(change(event.key(), VersionRecord.decode(event.inline())));
                }
            }
            if (event == null) {
                log.requireReached(revision);
            }
        }
    }

    private void countDeleted(LogEvent event) {
        if (event.delete()) {
            deleted.add(event.key());
        } else if (event.inline() == null && deleted.contains(event.key())) {
            kept--;
        }
    }

    private Change change(Bytes key, VersionRecord version) {
        position.clear().putLong(version.revision()).put((byte) '_').putLong(version.sub());
        Bytes kv = version.kv();
        if (version.isTombstone()) {
            position.put((byte) 't');
            kv = KeyValueCodec.encodeTombstone(key);
        }
        crc.reset();
        crc.update(position.flip());
        int length = position.limit() + kv.length();
        crc.update(kv.array());
        return new Change(version.revision(), version.sub(), false, length, (int) crc.getValue());
    }
}
