package io.brain.backend.key;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Internal keys: a bijection between (user key, revision) and stored keys that keeps the order of
 * user keys and, within one, of revisions. Immutable.
 *
 * <p>Data: {@code prefix + 57fb808b + esc(key) + '$' + be64(revision)}, revision 0 being the key's
 * revision record (KubeBrain's layout). {@code esc} writes every byte {@code <= 0x25} as {@code
 * 0x25, byte}, so that '$' (0x24) sorts below any byte of a key, and a key below every longer one.
 *
 * <p>Everything else: {@code prefix + 57fb808a + tag + ...}, outside all ranges that reads scan.
 */
public final class KeyCoder {
    private static final byte[] DATA_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8b};
    private static final byte[] META_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8a};
    private static final byte ESCAPE = 0x25;
    private static final byte SPLIT = '$';
    private static final int SUFFIX = 1 + Long.BYTES;

    private final byte[] data;
    private final byte[] meta;

    /**
     * Keys under a keyspace prefix, which keeps several clusters apart in one store.
     *
     * @param prefix may be empty
     */
    public KeyCoder(Bytes prefix) {
        data = prefix.concat(Bytes.wrap(DATA_MAGIC)).array();
        meta = prefix.concat(Bytes.wrap(META_MAGIC)).array();
    }

    /** Where the key's newest revision is recorded. */
    public Bytes revisionKey(Bytes key) {
        return versionKey(key, 0);
    }

    /** Where the key's version of that revision is stored. */
    public Bytes versionKey(Bytes key, long revision) {
        assert revision >= 0 : "negative revision " + revision;
        byte[] out = new byte[data.length + escapedLength(key) + SUFFIX];
        int at = escape(key, out);
        out[at] = SPLIT;
        ByteBuffer.wrap(out).putLong(at + 1, revision);
        return Bytes.wrap(out);
    }

    /** Bytes of {@link #versionKey}, without making it. */
    public int versionKeyLength(Bytes key) {
        return data.length + escapedLength(key) + SUFFIX;
    }

    /** The most that {@link #versionKeyLength} can be of a key of so many bytes. */
    public long versionKeyLengthMax(int keyBytes) {
        return data.length + 2L * keyBytes + SUFFIX;
    }

    /** The first internal key behind every record of {@code key}. */
    public Bytes behind(Bytes key) {
        byte[] out = new byte[data.length + escapedLength(key) + 1];
        out[escape(key, out)] = SPLIT + 1;
        return Bytes.wrap(out);
    }

    /** The internal range that holds all records of the span's keys. */
    public KeyRange range(KeySpan span) {
        Bytes start = prefixOf(span.key());
        if (span.single()) {
            return new KeyRange(start, behind(span.key()));
        }
        Bytes end = span.end() == null ? Bytes.wrap(data).prefixEnd() : prefixOf(span.end());
        return new KeyRange(start, end);
    }

    /** The user key of a data key. */
    public Bytes userKey(Bytes internal) {
        byte[] in = internal.array();
        int end = in.length - SUFFIX;
        byte[] out = new byte[end - data.length];
        int length = 0;
        for (int i = data.length; i < end; i++) {
            if (in[i] == ESCAPE) {
                i++;
            }
            out[length++] = in[i];
        }
        return Bytes.wrap(length == out.length ? out : Arrays.copyOf(out, length));
    }

    /** The revision of a data key; 0 for a revision record. */
    public long revisionOf(Bytes internal) {
        return ByteBuffer.wrap(internal.array()).getLong(internal.length() - Long.BYTES);
    }

    /** True if both data keys belong to the same user key. */
    public boolean sameUserKey(Bytes internal, Bytes other) {
        int length = internal.length() - Long.BYTES;
        return other.length() - Long.BYTES == length
                && Arrays.equals(internal.array(), 0, length, other.array(), 0, length);
    }

    /** Every data key. */
    public KeyRange dataRange() {
        return KeyRange.prefix(Bytes.wrap(data));
    }

    /** True if {@code internal}, of {@link #dataRange}, is one that this coder could have made. */
    public boolean isDataKey(Bytes internal) {
        int split = internal.length() - SUFFIX;
        return split >= data.length
                && internal.at(split) == SPLIT
                && revisionOf(internal) >= 0
                && versionKey(userKey(internal), revisionOf(internal)).equals(internal);
    }

    /** Every key that is no data key. */
    public KeyRange metaRange() {
        return KeyRange.prefix(Bytes.wrap(meta));
    }

    /** The fence's key. */
    public Bytes fenceKey() {
        return meta('f').finish();
    }

    /** The key of {@link CompactRecord}. */
    public Bytes compactKey() {
        return meta('c').finish();
    }

    /** The key of the alarm record. */
    public Bytes alarmKey() {
        return meta('a').finish();
    }

    /** The key of the leader record. */
    public Bytes leaderKey() {
        return meta('e').finish();
    }

    /** The key of the record with the cluster's and its members' ids. */
    public Bytes identityKey() {
        return meta('i').finish();
    }

    /** The key of a member's record. */
    public Bytes memberKey(long id) {
        return meta('m').putLong(id).finish();
    }

    /** All records of members. */
    public KeyRange members() {
        return KeyRange.prefix(meta('m').finish());
    }

    /** The member's id in the key of its record. */
    public long memberId(Bytes memberKey) {
        return ByteBuffer.wrap(memberKey.array()).getLong(meta.length + 1);
    }

    /** The key of a lease's record. */
    public Bytes leaseKey(long id) {
        return meta('L').putLong(id).finish();
    }

    /** All lease records. */
    public KeyRange leases() {
        return KeyRange.prefix(meta('L').finish());
    }

    /** True if the key, of {@link #leases}, names a lease. */
    public boolean isLeaseKey(Bytes leaseKey) {
        return leaseKey.length() == meta.length + 1 + Long.BYTES;
    }

    /** The lease id in the key of a lease's record or of an attachment. */
    public long leaseId(Bytes leaseKey) {
        return ByteBuffer.wrap(leaseKey.array()).getLong(meta.length + 1);
    }

    /** The key of the record that says "this key is attached to that lease". */
    public Bytes attachmentKey(long lease, Bytes key) {
        return meta('k').putLong(lease).putBytes(key).finish();
    }

    /** All attachments of a lease, in key order. */
    public KeyRange attachments(long lease) {
        return KeyRange.prefix(meta('k').putLong(lease).finish());
    }

    /** All attachments of all leases. */
    public KeyRange attachments() {
        return KeyRange.prefix(meta('k').finish());
    }

    /** True if the key, of {@link #attachments}, names a lease. */
    public boolean isAttachmentKey(Bytes attachmentKey) {
        return attachmentKey.length() >= meta.length + 1 + Long.BYTES;
    }

    /** The user key in an attachment's key. */
    public Bytes attachedKey(Bytes attachmentKey) {
        int skip = meta.length + 1 + Long.BYTES;
        return Bytes.copyOf(attachmentKey.array(), skip, attachmentKey.length() - skip);
    }

    /**
     * The key of a part of the commit log.
     *
     * @param firstRevision revision of the part's first event
     * @param part 0 unless one revision is spread over several parts
     */
    public Bytes logKey(long firstRevision, int part) {
        return meta('l').putLong(firstRevision).putInt(part).finish();
    }

    /** The whole commit log. */
    public KeyRange log() {
        return KeyRange.prefix(meta('l').finish());
    }

    /** True if the key, of {@link #log}, names a part of the log. */
    public boolean isLogKey(Bytes logKey) {
        return logKey.length() == meta.length + 1 + Long.BYTES + Integer.BYTES;
    }

    /** The first revision in a log key. */
    public long logRevision(Bytes logKey) {
        return ByteBuffer.wrap(logKey.array()).getLong(meta.length + 1);
    }

    /** The part number in a log key. */
    public int logPart(Bytes logKey) {
        return ByteBuffer.wrap(logKey.array()).getInt(meta.length + 1 + Long.BYTES);
    }

    private ByteWriter meta(char tag) {
        return new ByteWriter(meta.length + 1 + Long.BYTES + Integer.BYTES)
                .putRaw(meta)
                .putByte(tag);
    }

    private Bytes prefixOf(Bytes key) {
        byte[] out = new byte[data.length + escapedLength(key)];
        escape(key, out);
        return Bytes.wrap(out);
    }

    private int escape(Bytes key, byte[] out) {
        System.arraycopy(data, 0, out, 0, data.length);
        int at = data.length;
        for (byte b : key.array()) {
            if ((b & 0xff) <= ESCAPE) {
                out[at++] = ESCAPE;
            }
            out[at++] = b;
        }
        return at;
    }

    private static int escapedLength(Bytes key) {
        int length = key.length();
        for (byte b : key.array()) {
            if ((b & 0xff) <= ESCAPE) {
                length++;
            }
        }
        return length;
    }
}
