package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.TxnContext;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import java.util.NavigableMap;

/** Existing keys in order: stored heads merged with changed ones, which take precedence. */
final class MergeIterator implements TxnContext.Scan {
    private final NavigableMap<Bytes, HeadRecord> changes;
    private final Cursor cursor;
    private final KeyCoder coder;
    private final int keysMax;

    /** Key under the cursor; null if it was consumed, or at the end. */
    private Bytes stored;

    private boolean storedEnded;
    private Bytes key;
    private HeadRecord head;
    private int keys;

    /**
     * Creates an iterator.
     *
     * @param changes is consumed
     * @param cursor over stored heads; null if there are none
     * @param keysMax number of keys after which {@link #next} fails
     */
    MergeIterator(
            NavigableMap<Bytes, HeadRecord> changes, Cursor cursor, KeyCoder coder, int keysMax) {
        this.changes = changes;
        this.cursor = cursor;
        this.coder = coder;
        this.keysMax = keysMax;
        storedEnded = cursor == null;
    }

    @Override
    public boolean next() {
        do {
            if (!advance()) {
                return false;
            }
        } while (!head.exists());
        if (keys == keysMax) {
            throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
        }
        keys++;
        return true;
    }

    private boolean advance() {
        if (stored == null && !storedEnded) {
            storedEnded = !cursor.next();
            stored = storedEnded ? null : coder.keyOfHead(cursor.key());
        }
        if (!changes.isEmpty() && (storedEnded || changes.firstKey().compareTo(stored) <= 0)) {
            var change = changes.pollFirstEntry();
            key = change.getKey();
            head = change.getValue();
            stored = key.equals(stored) ? null : stored;
            return true;
        }
        if (storedEnded) {
            return false;
        }
        key = stored;
        head = HeadRecord.of(cursor.value());
        stored = null;
        return true;
    }

    @Override
    public Bytes key() {
        return key;
    }

    @Override
    public HeadRecord head() {
        return head;
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
        }
    }
}
