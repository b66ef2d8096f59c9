package io.brain.backend.cache;

import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.Arrays;

/**
 * Heads of one block, in key order: of all its keys (complete), or of those that were read.
 * Immutable.
 */
public final class CachedHeads {
    /** Heap bytes of an entry, in addition to key and KeyValue. */
    private static final int OVERHEAD = 96;

    private final Bytes end;
    private final Bytes[] keys;

    /** Encoded KeyValues; null: the key does not exist (only if incomplete). */
    private final Bytes[] kvs;

    private final boolean complete;

    /** Absent keys have been absent since this revision. */
    private final long since;

    private final long bytes;

    private CachedHeads(
            Bytes end, Bytes[] keys, Bytes[] kvs, boolean complete, long since, long bytes) {
        this.end = end;
        this.keys = keys;
        this.kvs = kvs;
        this.complete = complete;
        this.since = since;
        this.bytes = bytes;
    }

    /** No heads of a block. */
    static CachedHeads unknown(Bytes end) {
        return new CachedHeads(end, new Bytes[0], new Bytes[0], false, 0, 0);
    }

    /** All heads of a block at a revision. */
    static CachedHeads complete(Bytes end, Bytes[] keys, Bytes[] kvs, long revision) {
        return new CachedHeads(
                end, keys, kvs, true, revision, totalWeight(keys, kvs, 0, keys.length));
    }

    public int size() {
        return keys.length;
    }

    public Bytes key(int index) {
        return keys[index];
    }

    public Bytes kv(int index) {
        return kvs[index];
    }

    public long modRevision(int index) {
        Bytes kv = kvs[index];
        long revision = KeyValueCodec.modRevision(kv.array(), 0, kv.length());
        return revision > 0 ? revision : KeyValue.decode(kv).modRevision();
    }

    /** Index of the first key at or after {@code key}. */
    public int indexFrom(Bytes key) {
        int found = Arrays.binarySearch(keys, key);
        return found >= 0 ? found : -found - 1;
    }

    /** Exclusive end of the block; null: none. */
    public Bytes end() {
        return end;
    }

    /** True if these are all heads of the block at a revision. */
    boolean isCompleteAt(long revision) {
        return complete && since <= revision;
    }

    boolean isComplete() {
        return complete;
    }

    long bytes() {
        return bytes;
    }

    /** A key's KeyValue at a revision; {@link Bytes#EMPTY}: none; null: unknown. */
    Bytes find(Bytes key, long revision) {
        int at = Arrays.binarySearch(keys, key);
        if (at >= 0 && kvs[at] != null) {
            return modRevision(at) <= revision ? kvs[at] : null;
        }
        return (at >= 0 || complete) && since <= revision ? Bytes.EMPTY : null;
    }

    /**
     * The heads after a commit.
     *
     * @param kv null: the key was deleted
     * @return this if the key is unknown
     */
    CachedHeads changed(Bytes key, Bytes kv, long revision) {
        int at = Arrays.binarySearch(keys, key);
        if (at < 0 && !complete) {
            return this;
        }
        if (kv == null && complete) {
            return at < 0 ? this : without(at, revision);
        }
        return at < 0 ? with(-at - 1, key, kv, revision) : replaced(at, kv, revision);
    }

    /** The heads with one that was read; null: the key does not exist. */
    CachedHeads learned(Bytes key, Bytes kv, long revision) {
        int at = Arrays.binarySearch(keys, key);
        long from = kv == null ? Math.max(since, revision) : since;
        return at < 0 ? with(-at - 1, key, kv, from) : this;
    }

    /** The first half, up to the first key of the second half. */
    CachedHeads firstHalf() {
        int half = keys.length / 2;
        return part(0, half, keys[half]);
    }

    CachedHeads secondHalf() {
        return part(keys.length / 2, keys.length, end);
    }

    /** These and the heads of the complete block after it. */
    CachedHeads and(CachedHeads next) {
        Bytes[] allKeys = Arrays.copyOf(keys, keys.length + next.keys.length);
        Bytes[] allKvs = Arrays.copyOf(kvs, allKeys.length);
        System.arraycopy(next.keys, 0, allKeys, keys.length, next.keys.length);
        System.arraycopy(next.kvs, 0, allKvs, kvs.length, next.kvs.length);
        long later = Math.max(since, next.since);
        return new CachedHeads(next.end, allKeys, allKvs, true, later, bytes + next.bytes);
    }

    private CachedHeads part(int from, int to, Bytes partEnd) {
        return new CachedHeads(
                partEnd,
                Arrays.copyOfRange(keys, from, to),
                Arrays.copyOfRange(kvs, from, to),
                complete,
                since,
                totalWeight(keys, kvs, from, to));
    }

    private CachedHeads with(int at, Bytes key, Bytes kv, long from) {
        long weight = bytes + weight(key, kv);
        return new CachedHeads(
                end, inserted(keys, at, key), inserted(kvs, at, kv), complete, from, weight);
    }

    private CachedHeads replaced(int at, Bytes kv, long from) {
        Bytes[] others = kvs.clone();
        others[at] = kv;
        long weight = bytes - weight(keys[at], kvs[at]) + weight(keys[at], kv);
        return new CachedHeads(end, keys, others, complete, from, weight);
    }

    private CachedHeads without(int at, long from) {
        long weight = bytes - weight(keys[at], kvs[at]);
        return new CachedHeads(end, removed(keys, at), removed(kvs, at), complete, from, weight);
    }

    private static Bytes[] inserted(Bytes[] array, int at, Bytes element) {
        Bytes[] longer = Arrays.copyOf(array, array.length + 1);
        System.arraycopy(array, at, longer, at + 1, array.length - at);
        longer[at] = element;
        return longer;
    }

    private static Bytes[] removed(Bytes[] array, int at) {
        Bytes[] shorter = Arrays.copyOf(array, array.length - 1);
        System.arraycopy(array, at + 1, shorter, at, shorter.length - at);
        return shorter;
    }

    private static long totalWeight(Bytes[] keys, Bytes[] kvs, int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            bytes += weight(keys[i], kvs[i]);
        }
        return bytes;
    }

    /** Heap bytes of an entry; null: the key does not exist. */
    static long weight(Bytes key, Bytes kv) {
        return (long) OVERHEAD + key.length() + (kv == null ? 0 : kv.length());
    }
}
