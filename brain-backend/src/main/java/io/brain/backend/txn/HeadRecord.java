package io.brain.backend.txn;

import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Objects;

/**
 * The newest version of a key. One that was read keeps its stored form until its KeyValue is
 * needed: a wide delete moves it to the history as it is. Used by one thread.
 */
public final class HeadRecord {
    /** The head of a key without versions. */
    public static final HeadRecord ABSENT = new HeadRecord(0, 0, null);

    private final long revision;
    private final int sub;
    private final int kvLength;

    /** Null if the key does not exist, or {@link #stored} has it. */
    private KeyValue kv;

    /** Null unless the KeyValue is not decoded yet. */
    private Bytes stored;

    /**
     * A version.
     *
     * @param revision of the change that made it; 0 if the key has no version
     * @param sub index of the change within its revision
     * @param kv null if the version is a tombstone, or if there is none
     */
    public HeadRecord(long revision, int sub, KeyValue kv) {
        this.revision = revision;
        this.sub = sub;
        this.kv = kv;
        this.kvLength = kv == null ? 0 : kv.encoded().length();
    }

    private HeadRecord(Bytes stored) {
        this.revision = VersionRecord.revision(stored.array(), stored.length());
        this.sub = VersionRecord.sub(stored);
        this.kvLength = stored.length() - VersionRecord.TRAILER;
        this.stored = kvLength == 0 ? null : stored;
    }

    private HeadRecord(HeadRecord whole) {
        this.revision = whole.revision;
        this.sub = whole.sub;
        this.kvLength = whole.kvLength;
    }

    /** This version without its KeyValue, which must not be asked for. */
    public HeadRecord bare() {
        return new HeadRecord(this);
    }

    /** Reads a stored head; {@link #ABSENT} for null. */
    public static HeadRecord of(Bytes stored) {
        return stored == null ? ABSENT : new HeadRecord(stored);
    }

    /** Revision of the change that made the version; 0 if the key has no version. */
    public long revision() {
        return revision;
    }

    /** Index of the change within its revision. */
    public int sub() {
        return sub;
    }

    /** The KeyValue; null if the key does not exist. */
    public KeyValue kv() {
        if (stored != null) {
            kv = decode();
            stored = null;
        }
        if (kv == null && kvLength != 0) {
            throw new IllegalStateException("a version without its KeyValue");
        }
        return kv;
    }

    /** The lease of the key; 0 if there is none, or the key does not exist. */
    public long lease() {
        KeyValue known = stored == null ? kv() : decode();
        return known == null ? 0 : known.lease();
    }

    /** True if the key exists. */
    public boolean exists() {
        return kvLength != 0;
    }

    /** True if the newest version is a tombstone. */
    public boolean isTombstone() {
        return kvLength == 0 && revision != 0;
    }

    /** The encoded KeyValue; null if the key does not exist. */
    public Bytes encodedKv() {
        return exists() ? kv().encoded() : null;
    }

    /** Length of the encoded KeyValue; 0 if the key does not exist. */
    public int kvLength() {
        return kvLength;
    }

    /** The stored form; only if there is a version. */
    public Bytes encode() {
        if (stored != null) {
            return stored;
        }
        return new VersionRecord(revision, sub, exists() ? kv().encoded() : Bytes.EMPTY).encode();
    }

    /** Length of the stored form; 0 if there is no version. */
    public int encodedLength() {
        return revision == 0 ? 0 : kvLength + VersionRecord.TRAILER;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeadRecord head
                && revision == head.revision
                && sub == head.sub
                && Objects.equals(encodedKv(), head.encodedKv());
    }

    @Override
    public int hashCode() {
        return Objects.hash(revision, sub);
    }

    @Override
    public String toString() {
        return "HeadRecord[revision=%d, sub=%d, kv=%s]".formatted(revision, sub, kv());
    }

    private KeyValue decode() {
        return KeyValue.decode(Bytes.copyOf(stored.array(), 0, kvLength));
    }
}
