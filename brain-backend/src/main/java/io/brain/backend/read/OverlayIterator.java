package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;

/** Live keys with a transaction's own changes laid over them. */
final class OverlayIterator implements KeyIterator {
    private final KeyIterator below;
    private final Iterator<Map.Entry<Bytes, Bytes>> changes;

    /** The next key of each side; null if that side has ended. */
    private Bytes belowKey;

    private Map.Entry<Bytes, Bytes> change;

    /** True if the current key is {@code shown}, false if it is the one below. */
    private boolean changed;

    private Map.Entry<Bytes, Bytes> shown;
    private boolean started;

    /**
     * Takes over {@code below}.
     *
     * @param overlay user key to encoded KeyValue; {@link Bytes#EMPTY}: the key is deleted
     */
    OverlayIterator(KeyIterator below, NavigableMap<Bytes, Bytes> overlay, KeySpan span) {
        this.below = below;
        NavigableMap<Bytes, Bytes> part =
                span.end() == null
                        ? overlay.tailMap(span.key(), true)
                        : overlay.subMap(span.key(), true, span.end(), false);
        this.changes = part.entrySet().iterator();
    }

    @Override
    public boolean next() {
        if (!started) {
            started = true;
            stepChange();
            stepBelow();
        } else if (!changed) {
            stepBelow();
        }
        while (change != null) {
            int order = belowKey == null ? 1 : belowKey.compareTo(change.getKey());
            if (order < 0) {
                changed = false;
                return true;
            }
            if (order == 0) {
                stepBelow();
            }
            shown = change;
            stepChange();
            if (!shown.getValue().isEmpty()) {
                changed = true;
                return true;
            }
        }
        changed = false;
        return belowKey != null;
    }

    @Override
    public Bytes key() {
        return changed ? shown.getKey() : belowKey;
    }

    @Override
    public long modRevision() {
        return changed ? KeyValue.decode(shown.getValue()).modRevision() : below.modRevision();
    }

    @Override
    public Bytes kv() {
        return changed ? shown.getValue() : below.kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return changed ? kvs.append(shown.getValue()) : below.addKv(kvs);
    }

    @Override
    public void close() {
        below.close();
    }

    private void stepBelow() {
        belowKey = below.next() ? below.key() : null;
    }

    private void stepChange() {
        change = changes.hasNext() ? changes.next() : null;
    }
}
