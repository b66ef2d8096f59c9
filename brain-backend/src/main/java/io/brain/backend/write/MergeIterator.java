package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/** Stored keys and changed ones, merged in order; a change wins. */
final class MergeIterator {
    private final NavigableMap<Bytes, Boolean> changes;
    private final int max;
    private final List<Bytes> keys = new ArrayList<>();

    /** Takes {@code changes}, and uses them up: key to "exists". */
    MergeIterator(NavigableMap<Bytes, Boolean> changes, int max) {
        this.changes = changes;
        this.max = max;
    }

    void stored(Bytes key, boolean exists) {
        while (!changes.isEmpty() && changes.firstKey().compareTo(key) < 0) {
            takeFirstChange();
        }
        if (!changes.isEmpty() && changes.firstKey().equals(key)) {
            takeFirstChange();
        } else if (exists) {
            add(key);
        }
    }

    /** Keys so far. */
    int size() {
        return keys.size();
    }

    List<Bytes> finish() {
        while (!changes.isEmpty()) {
            takeFirstChange();
        }
        return keys;
    }

    private void takeFirstChange() {
        var change = changes.pollFirstEntry();
        if (change.getValue()) {
            add(change.getKey());
        }
    }

    private void add(Bytes key) {
        if (keys.size() == max) {
            throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
        }
        keys.add(key);
    }
}
