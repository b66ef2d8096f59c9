package io.brain.backend.store;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Internal keys, in three ranges side by side. Immutable.
 *
 * <p>Heads, the newest version of each key: {@code prefix + 57fb808b + key}.
 *
 * <p>History, the versions that were replaced: {@code prefix + 57fb808c + esc(key) + '$' +
 * be64(~revision)}: a key's versions lie together, newest first, in the order of user keys. {@code
 * esc} writes every byte {@code <= 0x25} as {@code 0x25, byte}, so that '$' (0x24) sorts below any
 * byte of a key, and a key below every longer one (KubeBrain's way).
 *
 * <p>Everything else: {@code prefix + 57fb808a + tag + ...}, outside all ranges that reads scan.
 */
public final class KeyCoder {
    private static final byte[] META_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8a};
    private static final byte[] HEAD_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8b};
    private static final byte[] HISTORY_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8c};
    private static final byte ESCAPE = 0x25;
    private static final byte SPLIT = '$';
    private static final int SUFFIX = 1 + Long.BYTES;

    private final byte[] meta;
    private final byte[] heads;
    private final byte[] history;

    /**
     * Keys under a keyspace prefix, which keeps several clusters apart in one store.
     *
     * @param prefix may be empty
     */
    public KeyCoder(Bytes prefix) {
        meta = prefix.concat(Bytes.wrap(META_MAGIC)).array();
        heads = prefix.concat(Bytes.wrap(HEAD_MAGIC)).array();
        history = prefix.concat(Bytes.wrap(HISTORY_MAGIC)).array();
    }

    /** Where the key's newest version is stored. */
    public Bytes headKey(Bytes key) {
        byte[] out = Arrays.copyOf(heads, heads.length + key.length());
        System.arraycopy(key.array(), 0, out, heads.length, key.length());
        return Bytes.wrap(out);
    }

    /** Bytes of {@link #headKey}, without making it. */
    public int headKeyLength(Bytes key) {
        return heads.length + key.length();
    }

    /** The heads of the span's keys, in the order of keys. */
    public KeyRange heads(KeySpan span) {
        Bytes start = headKey(span.key());
        if (span.single()) {
            return new KeyRange(start, start.successor());
        }
        Bytes end = span.end() == null ? Bytes.wrap(heads).prefixEnd() : headKey(span.end());
        return new KeyRange(start, end);
    }

    /** All heads. */
    public KeyRange heads() {
        return KeyRange.prefix(Bytes.wrap(heads));
    }

    /** The user key of a head's key. */
    public Bytes keyOfHead(Bytes headKey) {
        return Bytes.copyOf(headKey.array(), heads.length, headKey.length() - heads.length);
    }

    /**
     * Where the key's version of that revision is stored once it was replaced. A seek there comes
     * to the key's newest replaced version of that revision or an older one.
     */
    public Bytes historyKey(Bytes key, long revision) {
        byte[] out = new byte[historyKeyLength(key)];
        int at = escape(key, out);
        out[at] = SPLIT;
        ByteBuffer.wrap(out).putLong(at + 1, ~revision);
        return Bytes.wrap(out);
    }

    /** Bytes of {@link #historyKey}, without making it. */
    public int historyKeyLength(Bytes key) {
        return history.length + escapedLength(key) + SUFFIX;
    }

    /** The most that {@link #historyKeyLength} can be of a key of so many bytes. */
    public long historyKeyLengthMax(int keyBytes) {
        return history.length + 2L * keyBytes + SUFFIX;
    }

    /** The replaced versions of the span's keys. */
    public KeyRange history(KeySpan span) {
        Bytes start = historyFrom(span.key());
        if (span.single()) {
            return new KeyRange(start, historyBehind(span.key()));
        }
        Bytes end = span.end() == null ? Bytes.wrap(history).prefixEnd() : historyFrom(span.end());
        return new KeyRange(start, end);
    }

    /** All replaced versions. */
    public KeyRange history() {
        return KeyRange.prefix(Bytes.wrap(history));
    }

    /** The user key of a replaced version's key. */
    public Bytes keyOfHistory(Bytes historyKey) {
        byte[] in = historyKey.array();
        int end = in.length - SUFFIX;
        byte[] out = new byte[end - history.length];
        int length = 0;
        for (int i = history.length; i < end; i++) {
            if (in[i] == ESCAPE) {
                i++;
            }
            out[length++] = in[i];
        }
        return Bytes.wrap(length == out.length ? out : Arrays.copyOf(out, length));
    }

    /** The revision in a replaced version's key. */
    public static long revisionOf(Bytes historyKey) {
        return ~ByteBuffer.wrap(historyKey.array()).getLong(historyKey.length() - Long.BYTES);
    }

    /** True if the keys of two replaced versions belong to the same user key. */
    public static boolean sameUserKey(Bytes historyKey, Bytes other) {
        int length = historyKey.length() - Long.BYTES;
        return other.length() - Long.BYTES == length
                && Arrays.equals(historyKey.array(), 0, length, other.array(), 0, length);
    }

    /** True if {@code internal}, of {@link #history()}, is one that this coder could have made. */
    public boolean isHistoryKey(Bytes internal) {
        int split = internal.length() - SUFFIX;
        return split >= history.length
                && internal.at(split) == SPLIT
                && revisionOf(internal) >= 0
                && historyKey(keyOfHistory(internal), revisionOf(internal)).equals(internal);
    }

    /** All versions of keys: {@link #heads()} and {@link #history()}. */
    public KeyRange dataRange() {
        return new KeyRange(Bytes.wrap(heads), Bytes.wrap(history).prefixEnd());
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

    /** Where a seek comes to the first replaced version of the key, or of the next one. */
    private Bytes historyFrom(Bytes key) {
        byte[] out = new byte[history.length + escapedLength(key)];
        escape(key, out);
        return Bytes.wrap(out);
    }

    /** The first internal key behind every replaced version of {@code key}. */
    private Bytes historyBehind(Bytes key) {
        byte[] out = new byte[history.length + escapedLength(key) + 1];
        out[escape(key, out)] = SPLIT + 1;
        return Bytes.wrap(out);
    }

    private int escape(Bytes key, byte[] out) {
        System.arraycopy(history, 0, out, 0, history.length);
        int at = history.length;
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
