package io.brain.backend.hash;

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
 * The hash that etcd makes of its history: the CRC-32C of the word "key", and of all changes up to
 * a revision in the order in which they were made; of each its revision, the place within that, a
 * "t" if it is a delete, and the stored KeyValue.
 *
 * <p>Up to the compacted revision only those changes count that a compaction leaves and that
 * nothing replaced up to the hashed revision; so it does not matter whether they are removed yet.
 * If no key is there at the hashed revision, etcd leaves the replaced ones in. Deletes up to the
 * compacted revision never count.
 *
 * <p>What is stored is in the order of keys, so each change is hashed for itself, and the hashes
 * are joined in the right order. A change that another one of the same key in the same revision
 * overwrote is in the commit log.
 */
final class HistoryHash {
    private static final byte[] NAME = "key".getBytes(StandardCharsets.US_ASCII);

    private final KeyCoder coder;
    private final long revision;
    private final long floor;
    private final ChangeSorter changes;
    private final Runnable check;
    private final CRC32C crc = new CRC32C();
    private final Set<Bytes> ended = new HashSet<>();
    private final ByteBuffer place = ByteBuffer.allocate(2 * Long.BYTES + 2);

    /** The current key's last change up to the floor; null if it has none, or it is a delete. */
    private Change old;

    /** True if the current key was changed above the floor. */
    private boolean changed;

    /** True if a version of the current key was looked at, and if one up to the floor was. */
    private boolean seen;

    private boolean seenOld;

    /** True if the current key is there after its newest change. */
    private boolean alive;

    /**
     * Keys that are there at the hashed revision. Not those that were deleted in that revision and
     * put again: to etcd they have ended.
     */
    private long kept;

    /**
     * A hash to be made.
     *
     * @param revision the hashed revision, not below the floor; if negative, nothing is hashed
     * @param floor the compaction floor in the snapshot; -1 if nothing was compacted
     * @param check called again and again; may throw to put an end to the work
     */
    HistoryHash(KeyCoder coder, long revision, long floor, ChangeSorter changes, Runnable check) {
        this.coder = coder;
        this.revision = revision;
        this.floor = floor;
        this.changes = changes;
        this.check = check;
    }

    /** Makes the hash; to be called once. */
    int of(Snapshot snapshot) throws IOException {
        if (revision > 0) {
            walkKeys(snapshot);
            walkLog(snapshot);
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

    private void walkKeys(Snapshot snapshot) throws IOException {
        try (Cursor heads = snapshot.cursor(coder.heads(), Cursor.Direction.FORWARD);
                Cursor history = snapshot.cursor(coder.history(), Cursor.Direction.FORWARD)) {
            boolean more = history.next();
            while (heads.next()) {
                Bytes key = coder.keyOfHead(heads.key());
                Bytes behind = coder.historyKey(key, 0);
                version(key, heads.value());
                while (more && history.key().compareTo(behind) < 0) {
                    version(key, history.value());
                    more = history.next();
                }
                endKey();
            }
        }
    }

    /** Takes the current key's next version in; the newest comes first. */
    private void version(Bytes key, Bytes stored) throws IOException {
        check.run();
        VersionRecord version = VersionRecord.decode(stored);
        if (version.revision() > revision) {
            return;
        }
        boolean lives = !version.isTombstone();
        alive |= lives && !seen;
        if (version.revision() > floor) {
            changed = true;
            changes.add(change(key, version));
        } else if (!seenOld) {
            seenOld = true;
            old = lives ? change(key, version) : null;
        }
        seen = true;
    }

    private void endKey() throws IOException {
        if (old != null) {
            changes.add(new Change(old.revision(), old.sub(), changed, old.length(), old.crc()));
        }
        kept += alive ? 1 : 0;
        old = null;
        changed = false;
        seen = false;
        seenOld = false;
        alive = false;
    }

    private void walkLog(Snapshot snapshot) throws IOException {
        long from = Math.max(floor + 1, LogScan.REVISION_MIN);
        if (from > revision) {
            return;
        }
        try (LogScan log = new LogScan(snapshot, coder, from)) {
            LogEvent event = log.next();
            for (; event != null && event.revision() <= revision; event = log.next()) {
                check.run();
                if (event.revision() == revision) {
                    countEnded(event);
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

    private void countEnded(LogEvent event) {
        if (event.delete()) {
            ended.add(event.key());
        } else if (event.inline() == null && ended.contains(event.key())) {
            kept--;
        }
    }

    private Change change(Bytes key, VersionRecord version) {
        place.clear().putLong(version.revision()).put((byte) '_').putLong(version.sub());
        Bytes kv = version.kv();
        if (version.isTombstone()) {
            place.put((byte) 't');
            kv = KeyValueCodec.encodeTombstone(key);
        }
        crc.reset();
        crc.update(place.flip());
        int length = place.limit() + kv.length();
        crc.update(kv.array());
        return new Change(version.revision(), version.sub(), false, length, (int) crc.getValue());
    }
}
