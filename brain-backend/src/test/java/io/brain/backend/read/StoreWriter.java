package io.brain.backend.read;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Writes histories in the format of the write path and the compactor, one commit per revision, and
 * publishes each.
 */
final class StoreWriter {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Revisions revisions = new Revisions(new ReadPoint(1, 0), -1);

    /** Small limits, so that blocks are joined and heads are evicted. */
    private final HeadCache known = new HeadCache(64 << 10, 1, 2, 32, 1024);

    /** The written KeyValues by key and revision; null for a tombstone. */
    private final Map<Bytes, NavigableMap<Long, Bytes>> history = new HashMap<>();

    private long compacted = -1;

    StoreWriter(KvStorage storage, KeyCoder coder) {
        this.storage = storage;
        this.coder = coder;
    }

    Revisions revisions() {
        return revisions;
    }

    HeadCache known() {
        return known;
    }

    /** Read points of the leader. */
    ReadPoints points() {
        return new ReadPoints() {
            @Override
            public ReadPoint own() {
                return revisions.committed();
            }

            @Override
            public ReadPoint linearizableNow() {
                return revisions.committed();
            }

            @Override
            public CompletionStage<ReadPoint> linearizable() {
                return CompletableFuture.completedFuture(revisions.committed());
            }

            @Override
            public CompletionStage<ReadPoint> reached(long revision) {
                return revisions.await(revision).thenApply(done -> revisions.committed());
            }
        };
    }

    RangeReader reader() {
        return new RangeReader(new Store(storage, coder, revisions), known);
    }

    long put(String key, String value) {
        return write().put(Bytes.utf8(key), Bytes.utf8(value), 0).commit();
    }

    long put(String key, String value, long lease) {
        return write().put(Bytes.utf8(key), Bytes.utf8(value), lease).commit();
    }

    long delete(String key) {
        return write().delete(Bytes.utf8(key)).commit();
    }

    /** Starts the changes of one revision; a key may occur once. */
    Write write() {
        return new Write();
    }

    /** Stores and publishes the floor, and deletes nothing. */
    void raiseFloor(long floor) {
        storeFloor(floor);
        revisions.raiseFloor(floor);
    }

    /** Stores the floor without publishing it. */
    void storeFloor(long floor) {
        publish(
                WriteBatch.builder()
                        .put(coder.compactKey(), new CompactRecord(floor, compacted).encode()));
    }

    /** Raises the floor and deletes what only revisions below it need. */
    void compact(long floor) {
        raiseFloor(floor);
        WriteBatch.Builder batch = WriteBatch.builder();
        history.forEach((key, versions) -> compactKey(batch, key, versions, floor));
        if (batch.size() > 0) {
            commit(batch);
        }
        compacted = floor;
    }

    private void compactKey(
            WriteBatch.Builder batch, Bytes key, NavigableMap<Long, Bytes> versions, long floor) {
        Long kept = versions.floorKey(floor);
        if (kept == null) {
            return;
        }
        boolean dead = versions.get(kept) == null && kept < floor;
        for (long revision : versions.headMap(kept, dead).keySet().toArray(Long[]::new)) {
            if (revision != versions.lastKey()) {
                batch.delete(coder.historyKey(key, revision));
            } else {
                batch.delete(coder.headKey(key));
            }
            versions.remove(revision);
        }
    }

    /** Removes a tombstone, like compaction. */
    void dropTombstone(String key) {
        publish(WriteBatch.builder().delete(coder.headKey(Bytes.utf8(key))));
    }

    /** Replaces a stored head; returns the former one. */
    Bytes replaceHead(String key, Bytes value) {
        Bytes head = coder.headKey(Bytes.utf8(key));
        Bytes before;
        try (Snapshot snapshot = storage.snapshot()) {
            before = snapshot.get(head);
        }
        publish(WriteBatch.builder().put(head, value));
        return before;
    }

    private void publish(WriteBatch.Builder batch) {
        revisions.publish(new ReadPoint(revisions.committed().revision(), commit(batch)));
    }

    private long commit(WriteBatch.Builder batch) {
        CommitResult result = storage.commit(batch.build()).toCompletableFuture().join();
        return ((CommitResult.Committed) result).timestamp();
    }

    /** The changes of one revision. */
    final class Write {
        private final long revision = revisions.committed().revision() + 1;
        private final WriteBatch.Builder batch = WriteBatch.builder();
        private final List<WatchEvent> events = new ArrayList<>();
        private int sub;

        Write put(Bytes key, Bytes value, long lease) {
            Bytes before = newest(key);
            KeyValue old = before == null ? null : KeyValue.decode(before);
            long create = old == null ? revision : old.createRevision();
            long version = old == null ? 1 : old.version() + 1;
            Bytes kv = KeyValueCodec.encode(key, create, revision, version, value, lease);
            return add(key, kv);
        }

        Write delete(Bytes key) {
            return add(key, null);
        }

        /** Stores and publishes; returns the revision. */
        long commit() {
            long timestamp = store();
            known.events(new RevisionEvents(revision, events, false));
            revisions.publish(new ReadPoint(revision, timestamp));
            return revision;
        }

        /** Stores without publishing. */
        long store() {
            batch.put(coder.fenceKey(), new Fence(1, revision, revision, 0).encode());
            return StoreWriter.this.commit(batch);
        }

        private Write add(Bytes key, Bytes kv) {
            boolean tombstone = kv == null;
            Bytes stored = tombstone ? KeyValueCodec.encodeTombstone(key) : kv;
            NavigableMap<Long, Bytes> versions = history.computeIfAbsent(key, k -> new TreeMap<>());
            if (!versions.isEmpty()) {
                long replaced = versions.lastKey();
                Bytes old = versions.get(replaced);
                batch.put(
                        coder.historyKey(key, replaced),
                        new VersionRecord(replaced, 0, old == null ? Bytes.EMPTY : old).encode());
            }
            batch.put(
                    coder.headKey(key),
                    new VersionRecord(revision, sub++, tombstone ? Bytes.EMPTY : kv).encode());
            Bytes before = newest(key);
            if (!tombstone || before != null) {
                events.add(new WatchEvent(key, revision, tombstone, stored, before));
            }
            versions.put(revision, kv);
            return this;
        }
    }

    /** The encoded KeyValue of a key; null if it does not exist. */
    Bytes newest(Bytes key) {
        NavigableMap<Long, Bytes> versions = history.get(key);
        return versions == null || versions.isEmpty() ? null : versions.lastEntry().getValue();
    }
}
