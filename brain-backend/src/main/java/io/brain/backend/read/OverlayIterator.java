package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;

/** Stored keys merged with a transaction's own changes, which replace them. */
final class OverlayIterator implements KeyIterator {
    private final KeyIterator stored;
    private final Iterator<Map.Entry<Bytes, Bytes>> changes;

    /** The next stored key; null before the start and at the end. */
    private Bytes storedKey;

    /** The next change; null at the end. */
    private Map.Entry<Bytes, Bytes> change;

    /** The change that is the current key; null if the current key is the stored one. */
    private Map.Entry<Bytes, Bytes> current;

    /**
     * Takes ownership of {@code stored}.
     *
     * @param overlay user key to encoded KeyValue; {@link Bytes#EMPTY}: the key is deleted
     */
    OverlayIterator(KeyIterator stored, NavigableMap<Bytes, Bytes> overlay, KeySpan span) {
        this.stored = stored;
        NavigableMap<Bytes, Bytes> within =
                span.end() == null
                        ? overlay.tailMap(span.key(), true)
                        : overlay.subMap(span.key(), true, span.end(), false);
        this.changes = within.entrySet().iterator();
        nextChange();
    }

    @Override
    public boolean next() {
        if (current == null) {
            nextStored();
        }
        current = null;
        while (change != null) {
            int order = storedKey == null ? 1 : storedKey.compareTo(change.getKey());
            if (order < 0) {
                return true;
            }
            if (order == 0) {
                nextStored();
            }
            Map.Entry<Bytes, Bytes> passed = change;
            nextChange();
            if (!passed.getValue().isEmpty()) {
                current = passed;
                return true;
            }
        }
        return storedKey != null;
    }

    @Override
    public Bytes key() {
        return current != null ? current.getKey() : storedKey;
    }

    @Override
    public long modRevision() {
        return current != null
                ? KeyValue.decode(current.getValue()).modRevision()
                : stored.modRevision();
    }

    @Override
    public Bytes kv() {
        return current != null ? current.getValue() : stored.kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return current != null ? kvs.append(current.getValue()) : stored.addKv(kvs);
    }

    @Override
    public void close() {
        stored.close();
    }

    private void nextStored() {
        storedKey = stored.next() ? stored.key() : null;
    }

    private void nextChange() {
        change = changes.hasNext() ? changes.next() : null;
    }
}
