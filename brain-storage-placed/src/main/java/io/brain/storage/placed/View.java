package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * All stores at one commit, shared by its holders and closed by the last one. A store without a
 * snapshot fails those who read it. Thread-safe.
 */
final class View {
    private final Layout layout;
    private final Map<String, Snapshot> snapshots;
    private final Map<String, StorageException> failures;
    private final BooleanSupplier closed;
    private int holders = 1;

    /**
     * A view with one holder.
     *
     * @param closed true once the storage is closed
     */
    View(
            Layout layout,
            Map<String, Snapshot> snapshots,
            Map<String, StorageException> failures,
            BooleanSupplier closed) {
        this.layout = layout;
        this.snapshots = snapshots;
        this.failures = failures;
        this.closed = closed;
    }

    /** Adds a holder; false if the last one has left. */
    synchronized boolean hold() {
        if (holders == 0) {
            return false;
        }
        holders++;
        return true;
    }

    /** A holder leaves. */
    synchronized void leave() {
        holders--;
        if (holders == 0) {
            snapshots.values().forEach(Snapshot::close);
        }
    }

    /** Throws kind CLOSED once the storage is closed. */
    void checkOpen() {
        if (closed.getAsBoolean()) {
            throw new StorageException(Kind.CLOSED, "storage is closed");
        }
    }

    /** The value of a key; null if it is absent. */
    Bytes get(Bytes key) {
        checkOpen();
        return of(layout.storeOf(key)).get(key);
    }

    /** The snapshot of a store; throws if it could not be opened. */
    Snapshot of(String store) {
        Snapshot snapshot = snapshots.get(store);
        if (snapshot == null) {
            StorageException why = failures.get(store);
            throw new StorageException(why.kind(), "store " + store + ": " + why.getMessage(), why);
        }
        return snapshot;
    }

    /** A snapshot for a holder, which leaves when it is closed. */
    Snapshot snapshot() {
        return new Handle();
    }

    private final class Handle implements Snapshot {
        private boolean left;

        private synchronized void check() {
            if (left) {
                throw new StorageException(Kind.CLOSED, "snapshot is closed");
            }
            checkOpen();
        }

        @Override
        public Bytes get(Bytes key) {
            check();
            return View.this.get(key);
        }

        @Override
        public List<Bytes> get(List<Bytes> keys) {
            check();
            if (layout.isPlain()) {
                return of(Placement.BASE).get(keys);
            }
            Map<String, List<Integer>> byStore = new HashMap<>();
            IntStream.range(0, keys.size())
                    .forEach(
                            i ->
                                    byStore.computeIfAbsent(
                                                    layout.storeOf(keys.get(i)),
                                                    name -> new ArrayList<>())
                                            .add(i));
            Bytes[] values = new Bytes[keys.size()];
            byStore.forEach(
                    (store, places) -> {
                        List<Bytes> found = of(store).get(places.stream().map(keys::get).toList());
                        for (int i = 0; i < found.size(); i++) {
                            values[places.get(i)] = found.get(i);
                        }
                    });
            return Arrays.asList(values);
        }

        @Override
        public Cursor cursor(KeyRange range, Cursor.Direction direction) {
            check();
            List<Layout.Piece> pieces = layout.pieces(range, direction);
            if (pieces.size() == 1 && pieces.get(0).store().equals(Placement.BASE)) {
                return of(Placement.BASE).cursor(pieces.get(0).range(), direction);
            }
            if (!hold()) {
                throw new StorageException(Kind.CLOSED, "snapshot is closed");
            }
            return new PieceCursor(View.this, pieces, direction);
        }

        @Override
        public synchronized void close() {
            if (!left) {
                left = true;
                leave();
            }
        }
    }
}
