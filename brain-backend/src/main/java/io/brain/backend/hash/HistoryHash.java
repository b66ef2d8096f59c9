package io.brain.backend.hash;

import io.brain.backend.store.ChangeSorter;
import io.brain.backend.store.HistoryScan;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
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
 * sorted and joined.
 */
public final class HistoryHash implements HistoryScan.Visitor {
    private static final byte[] NAME = "key".getBytes(StandardCharsets.US_ASCII);

    /** In the sorter: 1 if a replaced change; length and CRC of the hashed bytes. */
    private static final int RECORD_BYTES = 1 + 2 * Integer.BYTES;

    private final long revision;
    private final long floor;
    private final ChangeSorter changes;
    private final CRC32C crc = new CRC32C();
    private final Set<Bytes> deleted = new HashSet<>();
    private final ByteBuffer position = ByteBuffer.allocate(2 * Long.BYTES + 2);

    /**
     * Number of keys that exist at the hashed revision, without those that were deleted and put
     * again in that revision, as in etcd.
     */
    private long kept;

    /**
     * A hash to compute.
     *
     * @param revision the hashed revision, not below the floor; if negative, nothing is hashed
     * @param floor the compaction floor; -1 if never compacted
     */
    public HistoryHash(long revision, long floor, ChangeSorter changes) {
        this.revision = revision;
        this.floor = floor;
        this.changes = changes;
    }

    /** Computes the hash of what the scan passes; can be called once. */
    public int of(HistoryScan scan) throws IOException {
        if (revision > 0) {
            scan.run(this);
        }
        crc.reset();
        crc.update(NAME);
        JoinedCrc all = new JoinedCrc((int) crc.getValue());
        changes.drain(
                (changed, sub, record) -> {
                    ByteBuffer in = ByteBuffer.wrap(record);
                    boolean replaced = in.get() != 0;
                    int length = in.getInt();
                    if (!replaced || kept == 0) {
                        all.add(in.getInt(), length);
                    }
                });
        return all.value();
    }

    @Override
    public void version(Bytes key, VersionRecord version, boolean newest) throws IOException {
        boolean live = !version.isDelete(key);
        boolean old = version.revision() <= floor;
        kept += newest && live ? 1 : 0;
        if (live || !old) {
            add(key, version, old && !newest);
        }
    }

    @Override
    public void logged(LogEvent event) throws IOException {
        if (event.revision() == revision) {
            countDeleted(event);
        }
        if (event.inline() != null) {
            add(event.key(), VersionRecord.decode(event.inline()), false);
        }
    }

    private void countDeleted(LogEvent event) {
        if (event.delete()) {
            deleted.add(event.key());
        } else if (event.inline() == null && deleted.contains(event.key())) {
            kept--;
        }
    }

    private void add(Bytes key, VersionRecord version, boolean replaced) throws IOException {
        position.clear().putLong(version.revision()).put((byte) '_').putLong(version.sub());
        Bytes kv = version.kv();
        if (version.isDelete(key)) {
            position.put((byte) 't');
            kv = KeyValueCodec.encodeTombstone(key);
        }
        crc.reset();
        crc.update(position.flip());
        int length = position.limit() + kv.length();
        crc.update(kv.array());
        ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
        record.put((byte) (replaced ? 1 : 0)).putInt(length).putInt((int) crc.getValue());
        changes.add(version.revision(), version.sub(), record.array());
    }
}
