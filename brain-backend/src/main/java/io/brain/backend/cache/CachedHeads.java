package io.brain.backend.cache;

import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.Arrays;

/**
 * Newest versions of keys of one block, in key order: of all its keys (complete), or of those that
 * were read. Immutable; arrays are shared with nobody.
 */
public final class CachedHeads {
    /** Heap bytes of an entry besides those of its key and its KeyValue. */
    private static final int OVERHEAD = 96;

    private final Bytes end;
    private final Bytes[] keys;

    /** Encoded KeyValues; null: the key does not exist, which only an incomplete block notes. */
    private final Bytes[] kvs;

    private final boolean complete;

    /** What does not exist did not exist from this revision on. */
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

    /** Nothing is known of a block that ends before {@code end}; null: with the last key. */
    static CachedHeads unknown(Bytes end) {
        return new CachedHeads(end, new Bytes[0], new Bytes[0], false, 0, 0);
    }

    /** All keys of a block that exist at a revision. */
    static CachedHeads complete(Bytes end, Bytes[] keys, Bytes[] kvs, long revision) {
        return new CachedHeads(end, keys, kvs, true, revision, weigh(keys, kvs, 0, keys.length));
    }

    /** How many keys it has. */
    public int size() {
        return keys.length;
    }

    /** The key at a place. */
    public Bytes key(int index) {
        return keys[index];
    }

    /** The encoded KeyValue at a place. */
    public Bytes kv(int index) {
        return kvs[index];
    }

    /** The mod revision of the KeyValue at a place. */
    public long modRevision(int index) {
        Bytes kv = kvs[index];
        long revision = KeyValueCodec.modRevision(kv.array(), 0, kv.length());
        return revision > 0 ? revision : KeyValue.decode(kv).modRevision();
    }

    /** Where the first key is that is not below another. */
    public int from(Bytes key) {
        int found = Arrays.binarySearch(keys, key);
        return found >= 0 ? found : -found - 1;
    }

    /** The first key behind the block; null: there is none. */
    public Bytes end() {
        return end;
    }

    /** True if these are all keys of the block that exist at a revision. */
    boolean isWholeAt(long revision) {
        return complete && since <= revision;
    }

    boolean isComplete() {
        return complete;
    }

    long bytes() {
        return bytes;
    }

    /** A key's KeyValue at a revision; {@link Bytes#EMPTY}: none; null: that is not known. */
    Bytes find(Bytes key, long revision) {
        int at = Arrays.binarySearch(keys, key);
        if (at >= 0 && kvs[at] != null) {
            return modRevision(at) <= revision ? kvs[at] : null;
        }
        return (at >= 0 || complete) && since <= revision ? Bytes.EMPTY : null;
    }

    /**
     * With a commit.
     *
     * @param kv null: the key was deleted
     * @return this if nothing is known of the key
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

    /** With what a read found; null: the key does not exist. */
    CachedHeads learned(Bytes key, Bytes kv, long revision) {
        int at = Arrays.binarySearch(keys, key);
        long from = kv == null ? Math.max(since, revision) : since;
        return at < 0 ? with(-at - 1, key, kv, from) : this;
    }

    /** Its first half, up to a key that begins the second one. */
    CachedHeads firstHalf() {
        int half = keys.length / 2;
        return part(0, half, keys[half]);
    }

    /** Its second half. */
    CachedHeads secondHalf() {
        return part(keys.length / 2, keys.length, end);
    }

    /** This and the complete block behind it. */
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
                weigh(keys, kvs, from, to));
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

    private static long weigh(Bytes[] keys, Bytes[] kvs, int from, int to) {
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
