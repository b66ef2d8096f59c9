package io.brain.backend.store;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Layout of stored keys: three adjacent ranges. Immutable.
 *
 * <p>Heads, the newest version of each key: {@code prefix + 57fb808b + key}.
 *
 * <p>History, the replaced versions: {@code prefix + 57fb808c + esc(key) + '$' + be64(~revision)}:
 * in order of user keys, the versions of a key newest first. {@code esc} writes every byte {@code
 * <= 0x25} as {@code 0x25, byte}, so that '$' (0x24) sorts below any byte of a key, and a key below
 * every longer one (as in KubeBrain).
 *
 * <p>Other records: {@code prefix + 57fb808a + tag + ...}, outside the ranges that reads scan.
 */
public final class KeyCoder {
    private static final String KEYSPACE_END = "/";
    private static final byte[] META_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8a};
    private static final byte[] HEAD_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8b};
    private static final byte[] HISTORY_MAGIC = {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8c};
    private static final byte ESCAPE = 0x25;
    private static final byte SPLIT = '$';
    private static final int SUFFIX = 1 + Long.BYTES;

    private final byte[] meta;
    private final byte[] heads;
    private final byte[] history;
    private final KeyIndex attachments;
    private final KeyIndex expiries;

    /**
     * The coder of a cluster; clusters that share a storage have keyspaces.
     *
     * @param keyspace name without a slash; empty: no prefix
     */
    public static KeyCoder of(String keyspace) {
        return new KeyCoder(prefix(keyspace));
    }

    /** The prefix of a cluster's keys; none is a prefix of another. */
    public static Bytes prefix(String keyspace) {
        if (keyspace.contains(KEYSPACE_END)) {
            throw new IllegalArgumentException("keyspace name contains a slash: " + keyspace);
        }
        return keyspace.isEmpty() ? Bytes.EMPTY : Bytes.utf8(keyspace + KEYSPACE_END);
    }

    /**
     * Keys of one keyspace.
     *
     * @param prefix may be empty
     */
    public KeyCoder(Bytes prefix) {
        meta = prefix.concat(Bytes.wrap(META_MAGIC)).array();
        heads = prefix.concat(Bytes.wrap(HEAD_MAGIC)).array();
        history = prefix.concat(Bytes.wrap(HISTORY_MAGIC)).array();
        attachments = new KeyIndex(meta('k').finish());
        expiries = new KeyIndex(meta('t').finish());
    }

    /** The key of a head. */
    public Bytes headKey(Bytes key) {
        byte[] out = Arrays.copyOf(heads, heads.length + key.length());
        System.arraycopy(key.array(), 0, out, heads.length, key.length());
        return Bytes.wrap(out);
    }

    /** Length of {@link #headKey}. */
    public int headKeyLength(Bytes key) {
        return heads.length + key.length();
    }

    /** The heads of a span. */
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

    /** The user key of a head. */
    public Bytes keyOfHead(Bytes headKey) {
        return Bytes.copyOf(headKey.array(), heads.length, headKey.length() - heads.length);
    }

    /**
     * The key of a replaced version. A seek to it finds the key's newest replaced version at that
     * revision.
     */
    public Bytes historyKey(Bytes key, long revision) {
        byte[] out = new byte[historyKeyLength(key)];
        int at = escape(key, out);
        out[at] = SPLIT;
        ByteBuffer.wrap(out).putLong(at + 1, ~revision);
        return Bytes.wrap(out);
    }

    /** Length of {@link #historyKey}. */
    public int historyKeyLength(Bytes key) {
        return history.length + escapedLength(key) + SUFFIX;
    }

    /** Upper bound of {@link #historyKeyLength} for a key of that length. */
    public long historyKeyLengthMax(int keyBytes) {
        return history.length + 2L * keyBytes + SUFFIX;
    }

    /** The replaced versions of a span. */
    public KeyRange history(KeySpan span) {
        Bytes start = historyStart(span.key());
        if (span.single()) {
            return new KeyRange(start, historyEnd(span.key()));
        }
        Bytes end = span.end() == null ? Bytes.wrap(history).prefixEnd() : historyStart(span.end());
        return new KeyRange(start, end);
    }

    /** All replaced versions. */
    public KeyRange history() {
        return KeyRange.prefix(Bytes.wrap(history));
    }

    /** The user key of a replaced version. */
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

    /** The revision of a replaced version. */
    public static long revisionOf(Bytes historyKey) {
        return ~ByteBuffer.wrap(historyKey.array()).getLong(historyKey.length() - Long.BYTES);
    }

    /** True if two replaced versions are of the same user key. */
    public static boolean sameUserKey(Bytes historyKey, Bytes other) {
        int length = historyKey.length() - Long.BYTES;
        return other.length() - Long.BYTES == length
                && Arrays.equals(historyKey.array(), 0, length, other.array(), 0, length);
    }

    /** True if a key of {@link #history()} is well-formed. */
    public boolean isHistoryKey(Bytes internal) {
        int split = internal.length() - SUFFIX;
        return split >= history.length
                && internal.at(split) == SPLIT
                && revisionOf(internal) >= 0
                && historyKey(keyOfHistory(internal), revisionOf(internal)).equals(internal);
    }

    /** {@link #heads()} and {@link #history()}. */
    public KeyRange dataRange() {
        return new KeyRange(Bytes.wrap(heads), Bytes.wrap(history).prefixEnd());
    }

    /** All other records. */
    public KeyRange metaRange() {
        return KeyRange.prefix(Bytes.wrap(meta));
    }

    public Bytes fenceKey() {
        return meta('f').finish();
    }

    public Bytes compactKey() {
        return meta('c').finish();
    }

    /** Keys of what a term reads first: alarms, import, users, compaction. */
    public List<Bytes> termKeys() {
        return List.of(alarmKey(), importKey(), authKey(), compactKey());
    }

    public Bytes alarmKey() {
        return meta('a').finish();
    }

    public Bytes leaderKey() {
        return meta('e').finish();
    }

    public Bytes identityKey() {
        return meta('i').finish();
    }

    /** The key of {@link ImportRecord}. */
    public Bytes importKey() {
        return meta('I').finish();
    }

    /** The key of {@link AuthRecord}. */
    public Bytes authKey() {
        return meta('A').finish();
    }

    /** The key of a user: authpb.User. */
    public Bytes userKey(Bytes name) {
        return meta('u').putBytes(name).finish();
    }

    public KeyRange users() {
        return KeyRange.prefix(meta('u').finish());
    }

    /** The key of a role: authpb.Role. */
    public Bytes roleKey(Bytes name) {
        return meta('r').putBytes(name).finish();
    }

    public KeyRange roles() {
        return KeyRange.prefix(meta('r').finish());
    }

    public Bytes memberKey(long id) {
        return meta('m').putLong(id).finish();
    }

    public KeyRange members() {
        return KeyRange.prefix(meta('m').finish());
    }

    public long memberId(Bytes memberKey) {
        return ByteBuffer.wrap(memberKey.array()).getLong(meta.length + 1);
    }

    public Bytes leaseKey(long id) {
        return meta('L').putLong(id).finish();
    }

    public KeyRange leases() {
        return KeyRange.prefix(meta('L').finish());
    }

    /** True if a key of {@link #leases} is well-formed. */
    public boolean isLeaseKey(Bytes leaseKey) {
        return leaseKey.length() == meta.length + 1 + Long.BYTES;
    }

    /** The lease id of a lease. */
    public long leaseId(Bytes leaseKey) {
        return ByteBuffer.wrap(leaseKey.array()).getLong(meta.length + 1);
    }

    /** The records that attach keys to leases, by lease. */
    public KeyIndex attachments() {
        return attachments;
    }

    /** The expiry records of keys, by mod revision; the value is a time of day in milliseconds. */
    public KeyIndex expiries() {
        return expiries;
    }

    /**
     * The key of a commit log entry.
     *
     * @param firstRevision revision of the entry's first event
     * @param part 0 unless a revision has several entries
     */
    public Bytes logKey(long firstRevision, int part) {
        return meta('l').putLong(firstRevision).putInt(part).finish();
    }

    public KeyRange log() {
        return KeyRange.prefix(meta('l').finish());
    }

    /** True if a key of {@link #log} is well-formed. */
    public boolean isLogKey(Bytes logKey) {
        return logKey.length() == meta.length + 1 + Long.BYTES + Integer.BYTES;
    }

    public long logRevision(Bytes logKey) {
        return ByteBuffer.wrap(logKey.array()).getLong(meta.length + 1);
    }

    public int logPart(Bytes logKey) {
        return ByteBuffer.wrap(logKey.array()).getInt(meta.length + 1 + Long.BYTES);
    }

    private ByteWriter meta(char tag) {
        return new ByteWriter(meta.length + 1 + Long.BYTES + Integer.BYTES)
                .putRaw(meta)
                .putByte(tag);
    }

    /** The first possible history key of a key. */
    private Bytes historyStart(Bytes key) {
        byte[] out = new byte[history.length + escapedLength(key)];
        escape(key, out);
        return Bytes.wrap(out);
    }

    /** The end of the history keys of a key. */
    private Bytes historyEnd(Bytes key) {
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
