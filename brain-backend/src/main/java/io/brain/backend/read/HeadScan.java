package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.Arrays;

/**
 * The keys of a span that exist at a revision, from a scan of the stored heads. Reads the history
 * only for keys that were changed after the revision.
 */
public final class HeadScan implements AutoCloseable {
    /** Versions of the history to step over before a seek. */
    private static final int STEPS_MAX = 3;

    /** Most versions are copied from the engine completely by the first call. */
    static final int PEEK_BYTES = 4096;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final KeySpan span;
    private final long revision;

    /** Both are opened on first use. */
    private Cursor heads;

    private Cursor history;

    private boolean onHistory;

    /** The cursor on the current version: one of the two. */
    private Cursor current;

    /** The beginning of the current version, and the length of all of it. */
    private byte[] peek;

    private int length;
    private long modRevision;

    /** Offset of the key in {@code peek}; -1 if unknown. */
    private int keyFrom;

    /**
     * A scan of a snapshot.
     *
     * @param revision not below the compaction floor
     */
    public HeadScan(Snapshot snapshot, KeyCoder coder, KeySpan span, long revision) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.span = span;
        this.revision = revision;
    }

    /** Moves to the next key; false at the end. */
    public boolean next() {
        if (heads == null) {
            heads = snapshot.cursor(coder.heads(span), Cursor.Direction.FORWARD);
            peek = new byte[PEEK_BYTES];
        }
        while (heads.next()) {
            keyFrom = -1;
            load(heads);
            if (modRevision <= revision ? exists() : findReplaced()) {
                return true;
            }
        }
        return false;
    }

    public Bytes key() {
        return keyFrom < 0
                ? coder.keyOfHead(heads.key())
                : Bytes.copyOf(peek, keyFrom, KeyValueCodec.keyLength(peek));
    }

    /** As {@code key().compareTo(other)}, without a copy of the key. */
    int compareKey(Bytes other) {
        if (keyFrom < 0) {
            return key().compareTo(other);
        }
        int end = keyFrom + KeyValueCodec.keyLength(peek);
        return Arrays.compareUnsigned(peek, keyFrom, end, other.array(), 0, other.length());
    }

    long modRevision() {
        return modRevision;
    }

    /** The encoded KeyValue. */
    public Bytes kv() {
        if (isComplete()) {
            return Bytes.copyOf(peek, 0, length - VersionRecord.TRAILER);
        }
        return VersionRecord.decode(current.value()).kv();
    }

    int addKv(PackedKvs kvs) {
        return isComplete()
                ? kvs.append(peek, 0, length - VersionRecord.TRAILER)
                : kvs.append(current, VersionRecord.TRAILER);
    }

    int addBareKv(PackedKvs kvs) {
        int end = isComplete() ? length - VersionRecord.TRAILER : peek.length;
        int bare = KeyValueCodec.bareLength(peek, 0, end, isComplete());
        return bare >= 0
                ? kvs.append(peek, 0, bare)
                : kvs.append(KeyValueCodec.withoutValue(KeyValue.decode(kv()), false));
    }

    @Override
    public void close() {
        if (history != null) {
            history.close();
        }
        if (heads != null) {
            heads.close();
        }
    }

    private void load(Cursor cursor) {
        current = cursor;
        length = cursor.copyValue(peek, 0);
        if (isComplete()) {
            modRevision = VersionRecord.revision(peek, length);
            keyFrom = exists() ? KeyValueCodec.keyFrom(peek, length) : -1;
        } else {
            long found = KeyValueCodec.modRevision(peek, 0, peek.length);
            modRevision = found > 0 ? found : VersionRecord.decode(cursor.value()).revision();
        }
    }

    /** True if {@code peek} has all of the current version. */
    private boolean isComplete() {
        return length <= peek.length;
    }

    /** True if the current version is no tombstone. */
    private boolean exists() {
        return length > VersionRecord.TRAILER;
    }

    /** Loads the version of the key at the revision from the history; true if it existed. */
    private boolean findReplaced() {
        Bytes target = coder.historyKey(key(), revision);
        if (history == null) {
            history = snapshot.cursor(coder.history(span), Cursor.Direction.FORWARD);
            onHistory = history.seek(target);
        }
        for (int step = 0; onHistory && history.key().compareTo(target) < 0; step++) {
            onHistory = step < STEPS_MAX ? history.next() : history.seek(target);
        }
        if (!onHistory || !KeyCoder.sameUserKey(history.key(), target)) {
            return false;
        }
        load(history);
        return exists();
    }
}
