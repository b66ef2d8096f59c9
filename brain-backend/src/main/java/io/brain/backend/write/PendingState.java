package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.KeyIndex;
import io.brain.backend.store.Store;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The state after all evaluated proposals, durable or not: changes of uncommitted batches, then a
 * cache of heads, then the engine. The cache needs no invalidation, because only the leader writes.
 * Sequencer thread only.
 */
final class PendingState {
    /**
     * Heads per lookup. Their values, of up to 1.5 MiB each, are on the heap together; therefore
     * one head per MiB of the cache, whose size follows the heap.
     */
    private static final int FETCH_MIN = 16;

    private static final int FETCH_MAX = 128;

    /** A batch with more keys would evict the heads in use: it only updates cached ones. */
    private static final int CACHED_KEYS_MAX = 20_000;

    private final Store store;
    private final KeyCoder coder;
    private final RecordCache cache;
    private final int fetchMax;

    private final Overlay<HeadRecord> heads = new Overlay<>();

    /** Metadata records by internal key; empty bytes for a removed one. */
    private final Overlay<Bytes> records = new Overlay<>();

    /** Opened when needed; closed when a batch is published, because it does not show that. */
    private Snapshot snapshot;

    private long inMemory;
    private long fetched;
    private long read;

    PendingState(Store store, long cacheBytes) {
        this.store = store;
        coder = store.coder();
        cache = new RecordCache(cacheBytes);
        fetchMax = (int) Math.max(FETCH_MIN, Math.min(FETCH_MAX, cacheBytes >> 20));
    }

    /** The head of a key; never null. */
    HeadRecord get(Bytes key) {
        HeadRecord head = getCached(key);
        if (head == null) {
            head = HeadRecord.of(snapshot().get(coder.headKey(key)));
            cache.put(key, head);
            read++;
        }
        return head;
    }

    /** The head of a key if it is in memory; else null. */
    HeadRecord getCached(Bytes key) {
        HeadRecord head = heads.get(key);
        if (head == null) {
            head = cache.get(key);
        }
        if (head != null) {
            inMemory++;
        }
        return head;
    }

    /**
     * Reads the heads of distinct keys into the cache, many at a time; a single one is left out.
     */
    void fetch(Collection<Bytes> keys) {
        List<Bytes> missing = new ArrayList<>();
        for (Bytes key : keys) {
            if (heads.get(key) == null && !cache.contains(key)) {
                missing.add(key);
            }
        }
        if (missing.size() < 2) {
            return;
        }
        for (int from = 0; from < missing.size(); from += fetchMax) {
            List<Bytes> some = missing.subList(from, Math.min(from + fetchMax, missing.size()));
            List<Bytes> stored = snapshot().get(some.stream().map(coder::headKey).toList());
            fetched += some.size();
            for (int i = 0; i < some.size(); i++) {
                cache.put(some.get(i), HeadRecord.of(stored.get(i)));
            }
        }
    }

    /** Reports the lookups since the last call. */
    void reportLookups(BackendListener listener) {
        listener.recordsLookedUp(inMemory, fetched, read);
        inMemory = 0;
        fetched = 0;
        read = 0;
    }

    /** A metadata record; null if it is absent. */
    Bytes record(Bytes internalKey) {
        Bytes value = records.get(internalKey);
        if (value == null) {
            return snapshot().get(internalKey);
        }
        return value.isEmpty() ? null : value;
    }

    /**
     * The existing keys of a span. Must be closed before {@link #closeSnapshot}.
     *
     * @param own changes of the proposal within the span, which take precedence; is consumed
     * @param keysMax number of keys after which the iterator fails
     */
    MergeIterator scan(KeySpan span, NavigableMap<Bytes, HeadRecord> own, int keysMax) {
        Cursor cursor = null;
        if (span.single()) {
            own.computeIfAbsent(span.key(), this::get);
        } else if (!span.isEmpty()) {
            heads.range(span.key(), span.end()).forEach(own::putIfAbsent);
            cursor = snapshot().cursor(coder.heads(span), Cursor.Direction.FORWARD);
        }
        return new MergeIterator(own, cursor, coder, keysMax);
    }

    /**
     * Keys with an attachment record of a lease, in order, at most {@code max}. Only the key itself
     * tells whether it is attached.
     *
     * @param from the least possible key
     * @param own records that the proposal changed, which take precedence
     */
    List<Bytes> attachedKeys(long lease, Bytes from, Map<Bytes, Bytes> own, int max) {
        KeyIndex index = coder.attachments();
        KeyRange range = new KeyRange(index.key(lease, from), index.of(lease).end());
        Map<Bytes, Bytes> changes = changedRecords(range, own);
        NavigableSet<Bytes> attached = new TreeSet<>();
        try (Cursor cursor = snapshot().cursor(range, Cursor.Direction.FORWARD)) {
            while (attached.size() < max && cursor.next()) {
                if (!changes.containsKey(cursor.key())) {
                    attached.add(cursor.key());
                }
            }
        }
        changes.entrySet().stream()
                .filter(change -> !change.getValue().isEmpty())
                .limit(max)
                .forEach(change -> attached.add(change.getKey()));
        return attached.stream().limit(max).map(index::userKey).toList();
    }

    /** Records that uncommitted batches and the proposal changed, in order. */
    private Map<Bytes, Bytes> changedRecords(KeyRange range, Map<Bytes, Bytes> own) {
        Map<Bytes, Bytes> pending = records.range(range.start(), range.end());
        if (own.isEmpty()) {
            return pending;
        }
        Map<Bytes, Bytes> changes = new TreeMap<>(pending);
        own.forEach(
                (key, value) -> {
                    if (range.contains(key)) {
                        changes.put(key, value);
                    }
                });
        return changes;
    }

    /** Adds a head changed by a batch. */
    void put(Bytes key, HeadRecord head, long batch) {
        heads.put(key, head, batch);
    }

    /** Adds a metadata record changed by a batch; empty bytes for a removed one. */
    void putRecord(Bytes internalKey, Bytes value, long batch) {
        records.put(internalKey, value, batch);
    }

    /** A batch was published: the engine shows its changes. */
    void published(CommitBatch batch) {
        closeSnapshot();
        boolean wide = batch.changedKeys().size() > CACHED_KEYS_MAX;
        for (Bytes key : batch.changedKeys()) {
            HeadRecord head = heads.remove(key, batch.number());
            if (head != null && (!wide || cache.contains(key))) {
                cache.put(key, head);
            }
        }
        for (Bytes internalKey : batch.changedRecords()) {
            records.remove(internalKey, batch.number());
        }
    }

    /** Closes the engine's snapshot; the next read opens another. */
    void closeSnapshot() {
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
    }

    /** Forgets all uncommitted changes, and the cache. */
    void clear() {
        closeSnapshot();
        heads.clear();
        records.clear();
        cache.clear();
    }

    private Snapshot snapshot() {
        if (snapshot == null) {
            snapshot = store.open();
        }
        return snapshot;
    }
}
