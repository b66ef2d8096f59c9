package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.Arrays;

/**
 * The keys of a span that exist at a revision: a walk over heads. Only where a key was changed
 * after the revision does it look for the version of then in the history.
 */
final class HeadScan implements KeyIterator {
    /** Versions in the history that are stepped over before a seek. */
    private static final int STEPS_MAX = 3;

    /**
     * Most versions are copied out of the engine whole with their first look: one call for each.
     */
    static final int PEEK_BYTES = 4096;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final KeySpan span;
    private final long revision;

    /** Both are opened when they are first needed: a count may need neither. */
    private Cursor heads;

    private Cursor history;

    private boolean onHistory;

    /** Where the current key's version is: one of the two. */
    private Cursor shown;

    /** The beginning of that version, and the length of all of it. */
    private byte[] peek;

    private int length;
    private long modRevision;

    /** Where the key begins in what was looked at; -1 if it is not there. */
    private int keyFrom;

    /**
     * A walk over a snapshot.
     *
     * @param revision not below the compaction floor
     */
    HeadScan(Snapshot snapshot, KeyCoder coder, KeySpan span, long revision) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.span = span;
        this.revision = revision;
    }

    @Override
    public boolean next() {
        if (heads == null) {
            heads = snapshot.cursor(coder.heads(span), Cursor.Direction.FORWARD);
            peek = new byte[PEEK_BYTES];
        }
        while (heads.next()) {
            keyFrom = -1;
            arrive(heads);
            if (modRevision <= revision ? lives() : findReplaced()) {
                return true;
            }
        }
        return false;
    }

    @Override
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

    @Override
    public long modRevision() {
        return modRevision;
    }

    @Override
    public Bytes kv() {
        if (isPeeked()) {
            return Bytes.copyOf(peek, 0, length - VersionRecord.TRAILER);
        }
        return VersionRecord.decode(shown.value()).kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return isPeeked()
                ? kvs.append(peek, 0, length - VersionRecord.TRAILER)
                : kvs.append(shown, VersionRecord.TRAILER);
    }

    @Override
    public int addBareKv(PackedKvs kvs) {
        int end = isPeeked() ? length - VersionRecord.TRAILER : peek.length;
        int bare = KeyValueCodec.bareLength(peek, 0, end, isPeeked());
        return bare >= 0 ? kvs.append(peek, 0, bare) : KeyIterator.super.addBareKv(kvs);
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

    private void arrive(Cursor cursor) {
        shown = cursor;
        length = cursor.copyValue(peek, 0);
        if (isPeeked()) {
            modRevision = VersionRecord.revision(peek, length);
            keyFrom = lives() ? KeyValueCodec.keyFrom(peek, length) : -1;
        } else {
            long told = KeyValueCodec.modRevision(peek, 0, peek.length);
            modRevision = told > 0 ? told : VersionRecord.decode(cursor.value()).revision();
        }
    }

    private boolean isPeeked() {
        return length <= peek.length;
    }

    private boolean lives() {
        return length > VersionRecord.TRAILER;
    }

    /** Goes to the version that the key under the heads' cursor had: true if it lived. */
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
        arrive(history);
        return lives();
    }
}
