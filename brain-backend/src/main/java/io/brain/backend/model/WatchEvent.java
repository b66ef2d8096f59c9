package io.brain.backend.model;

import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;

/**
 * A change of a key. Immutable, except for cached encodings, which any thread may set.
 *
 * <p>{@code kv} is the encoded mvccpb.KeyValue of etcd's event: complete for a put, key and
 * mod_revision for a delete. {@code prevKv} is the key's KeyValue before the event's revision; null
 * if it did not exist, or the change is a put that created the key.
 */
public final class WatchEvent {
    private final Bytes key;
    private final long revision;
    private final boolean delete;
    private final Bytes kv;
    private final Bytes prevKv;
    private Bytes encoded;
    private Bytes encodedWithPrev;

    /** An event; {@code prevKv} may be null. */
    public WatchEvent(Bytes key, long revision, boolean delete, Bytes kv, Bytes prevKv) {
        this.key = key;
        this.revision = revision;
        this.delete = delete;
        this.kv = kv;
        this.prevKv = prevKv;
    }

    public Bytes key() {
        return key;
    }

    public long revision() {
        return revision;
    }

    public boolean isDelete() {
        return delete;
    }

    public Bytes kv() {
        return kv;
    }

    /** The replaced KeyValue; may be null. */
    public Bytes prevKv() {
        return prevKv;
    }

    /** The event with another replaced KeyValue; may be null. */
    public WatchEvent withPrevKv(Bytes newPrevKv) {
        return new WatchEvent(key, revision, delete, kv, newPrevKv);
    }

    /** The encoded mvccpb.Event; encoded once for all watchers with the same option. */
    public Bytes encoded(boolean withPrevKv) {
        boolean prev = withPrevKv && prevKv != null;
        Bytes bytes = prev ? encodedWithPrev : encoded;
        if (bytes == null) {
            bytes = KeyValueCodec.encodeEvent(delete, kv, prev ? prevKv : null);
            if (prev) {
                encodedWithPrev = bytes;
            } else {
                encoded = bytes;
            }
        }
        return bytes;
    }

    /** Bytes of the KeyValues in the event, with or without the replaced one. */
    public int sentBytes(boolean withPrevKv) {
        return kv.length() + (withPrevKv && prevKv != null ? prevKv.length() : 0);
    }

    /** Heap bytes, without encodings. */
    public int weight() {
        return 64 + key.length() + kv.length() + (prevKv == null ? 0 : prevKv.length());
    }
}
