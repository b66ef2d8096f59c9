package io.brain.backend.key;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Internal keys, in three ranges side by side. Immutable.
 *
 * <p>Revision records: {@code prefix + 57fb808b + key}.
 *
 * <p>Version records: {@code prefix + 57fb808c + esc(key) + '$' + be64(~(2 * revision + t))}, with
 * t = 1 for a tombstone: a key's versions lie together, newest first, in the order of user keys,
 * and whether a key lives can be told without its value. {@code esc} writes every byte {@code <=
 * 0x25} as {@code 0x25, byte}, so that '$' (0x24) sorts below any byte of a key, and a key below
 * every longer one (KubeBrain's way).
 *
 * <p>Everything else: {@code prefix + 57fb808a + tag + ...}, outside all ranges that reads scan.
 */
public final class KeyCoder {
    private static final byte[] META_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8a};
    private static final byte[] REVISION_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8b};
    private static final byte[] VERSION_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8c};
    private static final byte ESCAPE = 0x25;
    private static final byte SPLIT = '$';
    private static final int SUFFIX = 1 + Long.BYTES;

    private final byte[] meta;
    private final byte[] revisions;
    private final byte[] versions;

    /**
     * Keys under a keyspace prefix, which keeps several clusters apart in one store.
     *
     * @param prefix may be empty
     */
    public KeyCoder(Bytes prefix) {
        meta = prefix.concat(Bytes.wrap(META_MAGIC)).array();
        revisions = prefix.concat(Bytes.wrap(REVISION_MAGIC)).array();
        versions = prefix.concat(Bytes.wrap(VERSION_MAGIC)).array();
    }

    /** Where the key's newest revision is recorded. */
    public Bytes revisionKey(Bytes key) {
        byte[] out = Arrays.copyOf(revisions, revisions.length + key.length());
        System.arraycopy(key.array(), 0, out, revisions.length, key.length());
        return Bytes.wrap(out);
    }

    /** Bytes of {@link #revisionKey}, without making it. */
    public int revisionKeyLength(Bytes key) {
        return revisions.length + key.length();
    }

    /** The revision records of the span's keys, in the order of keys. */
    public KeyRange revisionRecords(KeySpan span) {
        Bytes start = revisionKey(span.key());
        if (span.single()) {
            return new KeyRange(start, start.successor());
        }
        Bytes end =
                span.end() == null ? Bytes.wrap(revisions).prefixEnd() : revisionKey(span.end());
        return new KeyRange(start, end);
    }

    /** All revision records. */
    public KeyRange revisionRecords() {
        return KeyRange.prefix(Bytes.wrap(revisions));
    }

    /** The user key of a revision record's key. */
    public Bytes recordedKey(Bytes revisionKey) {
        return Bytes.copyOf(
                revisionKey.array(), revisions.length, revisionKey.length() - revisions.length);
    }

    /** Where the key's version of that revision is stored, if it was put then. */
    public Bytes versionKey(Bytes key, long revision) {
        return versionKey(key, revision, false);
    }

    /**
     * Where the key's version of that revision is stored.
     *
     * @param tombstone true if it was deleted then
     */
    public Bytes versionKey(Bytes key, long revision, boolean tombstone) {
        byte[] out = new byte[versions.length + escapedLength(key) + SUFFIX];
        int at = escape(key, out);
        out[at] = SPLIT;
        ByteBuffer.wrap(out).putLong(at + 1, VersionSuffix.of(revision, tombstone));
        return Bytes.wrap(out);
    }

    /**
     * Where a seek comes to the key's newest version of that revision or an older one; to another
     * key's if there is none.
     */
    public Bytes versionsAt(Bytes key, long revision) {
        return versionKey(key, revision, true);
    }

    /** Bytes of {@link #versionKey}, without making it. */
    public int versionKeyLength(Bytes key) {
        return versions.length + escapedLength(key) + SUFFIX;
    }

    /** The most that {@link #versionKeyLength} can be of a key of so many bytes. */
    public long versionKeyLengthMax(int keyBytes) {
        return versions.length + 2L * keyBytes + SUFFIX;
    }

    /** Where a seek comes to the first version of the key, or of the next one that has any. */
    public Bytes versionsFrom(Bytes key) {
        byte[] out = new byte[versions.length + escapedLength(key)];
        escape(key, out);
        return Bytes.wrap(out);
    }

    /** The first internal key behind every version of {@code key}. */
    public Bytes behind(Bytes key) {
        byte[] out = new byte[versions.length + escapedLength(key) + 1];
        out[escape(key, out)] = SPLIT + 1;
        return Bytes.wrap(out);
    }

    /** The versions of the span's keys. */
    public KeyRange versions(KeySpan span) {
        Bytes start = versionsFrom(span.key());
        if (span.single()) {
            return new KeyRange(start, behind(span.key()));
        }
        Bytes end =
                span.end() == null ? Bytes.wrap(versions).prefixEnd() : versionsFrom(span.end());
        return new KeyRange(start, end);
    }

    /** All versions. */
    public KeyRange versions() {
        return KeyRange.prefix(Bytes.wrap(versions));
    }

    /** The user key of a version's key. */
    public Bytes userKey(Bytes versionKey) {
        byte[] in = versionKey.array();
        int end = in.length - SUFFIX;
        byte[] out = new byte[end - versions.length];
        int length = 0;
        for (int i = versions.length; i < end; i++) {
            if (in[i] == ESCAPE) {
                i++;
            }
            out[length++] = in[i];
        }
        return Bytes.wrap(length == out.length ? out : Arrays.copyOf(out, length));
    }

    /** The revision in a version's key. */
    public static long revisionOf(Bytes versionKey) {
        return VersionSuffix.revision(suffix(versionKey));
    }

    /** True if a version's key is that of a tombstone. */
    public static boolean isTombstone(Bytes versionKey) {
        return VersionSuffix.isTombstone(suffix(versionKey));
    }

    private static long suffix(Bytes versionKey) {
        return ByteBuffer.wrap(versionKey.array()).getLong(versionKey.length() - Long.BYTES);
    }

    /** True if both versions' keys belong to the same user key. */
    public static boolean sameUserKey(Bytes versionKey, Bytes other) {
        int length = versionKey.length() - Long.BYTES;
        return other.length() - Long.BYTES == length
                && Arrays.equals(versionKey.array(), 0, length, other.array(), 0, length);
    }

    /** True if {@code internal}, of {@link #versions()}, is one that this coder could have made. */
    public boolean isVersionKey(Bytes internal) {
        int split = internal.length() - SUFFIX;
        return split >= versions.length
                && internal.at(split) == SPLIT
                && suffix(internal) < 0
                && versionKey(userKey(internal), revisionOf(internal), isTombstone(internal))
                        .equals(internal);
    }

    /** All records of keys: {@link #revisionRecords()} and {@link #versions()}. */
    public KeyRange dataRange() {
        return new KeyRange(Bytes.wrap(revisions), Bytes.wrap(versions).prefixEnd());
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

    private int escape(Bytes key, byte[] out) {
        System.arraycopy(versions, 0, out, 0, versions.length);
        int at = versions.length;
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
