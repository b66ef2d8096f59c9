package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything decided so far, durable or not: what batches on their way change, then the record
 * cache, then the engine. Only the sequencer thread touches it. Only the leader writes, so what is
 * cached stays right until the leader itself changes it.
 */
final class PendingState {
    /**
     * Records read in one round: their values, of up to 1.5 MiB each, are on the heap together. So
     * the round shrinks with the cache, which is a part of the heap: one record for each MiB.
     */
    private static final int FETCH_MAX = 128;

    private static final int FETCH_MIN = 16;

    /** How many are read first where values can be large, and bytes after which no more are. */
    private static final int PREFETCH_FIRST = 8;

    private static final long PREFETCH_BYTES = 4 << 20;

    /** Keys of a batch that are all kept in the cache. */
    private static final int CACHED_KEYS_MAX = 20_000;

    private final KeyCoder coder;
    private final EngineRecords engine;
    private final RecordCache cache;
    private final Overlay<HeadRecord> pending = new Overlay<>();

    /** Small records by internal key; empty bytes stand for a removal. */
    private final Overlay<Bytes> pendingSmall = new Overlay<>();

    private final int fetchMax;
    private final Set<Bytes> named = new LinkedHashSet<>();
    private long inMemory;
    private long fetched;
    private long read;

    /** Walks that must know what changes; a handful. */
    private final List<SpanScan> walks = new ArrayList<>(1);

    PendingState(Store store, long cacheBytes) {
        coder = store.coder();
        engine = new EngineRecords(store);
        cache = new RecordCache(cacheBytes);
        fetchMax = (int) Math.max(FETCH_MIN, Math.min(FETCH_MAX, cacheBytes >> 20));
    }

    /** The newest record of a key; never null. */
    HeadRecord get(Bytes key) {
        HeadRecord record = pending.get(key);
        if (record == null) {
            record = cache.get(key);
        }
        if (record == null) {
            record = engine.read(key);
            cache.put(key, record);
            read++;
        } else {
            inMemory++;
        }
        return record;
    }

    /** The newest record of a key if it is in memory; else null. */
    HeadRecord known(Bytes key) {
        HeadRecord record = pending.get(key);
        if (record == null) {
            record = cache.get(key);
        }
        if (record != null) {
            inMemory++;
        }
        return record;
    }

    /** Remembers a key that is going to be looked up, if its record is not at hand. */
    void name(Bytes key) {
        if (pending.get(key) == null && !cache.contains(key)) {
            named.add(key);
        }
    }

    /** Brings the records of all keys named since the last call into the cache, many at a time. */
    void fetchNamed() {
        List<Bytes> missing = List.copyOf(named);
        named.clear();
        if (missing.size() < 2) {
            return;
        }
        for (int from = 0; from < missing.size(); from += fetchMax) {
            List<Bytes> keys = missing.subList(from, Math.min(from + fetchMax, missing.size()));
            var unused = fetch(keys);
        }
    }

    /**
     * The same for values of unknown size, which are on the heap together: some first, then more
     * until a few MiB were read. The rest is read when it is looked up.
     */
    void prefetchNamed() {
        List<Bytes> missing = List.copyOf(named);
        named.clear();
        int from = 0;
        int round = PREFETCH_FIRST;
        long bytes = 0;
        while (from < missing.size() && bytes < PREFETCH_BYTES) {
            List<Bytes> keys = missing.subList(from, Math.min(from + round, missing.size()));
            for (HeadRecord record : fetch(keys)) {
                bytes += record.exists() ? record.kv().encoded().length() : 0;
            }
            from += keys.size();
            long fits = (PREFETCH_BYTES - bytes) / (bytes / from + 1);
            round = (int) Math.max(1, Math.min(fits, fetchMax));
        }
    }

    private List<HeadRecord> fetch(List<Bytes> keys) {
        List<HeadRecord> records = engine.read(keys);
        fetched += keys.size();
        for (int i = 0; i < keys.size(); i++) {
            cache.put(keys.get(i), records.get(i));
        }
        return records;
    }

    /** What was looked up since the last call. */
    Lookups takeLookups() {
        Lookups lookups = new Lookups(inMemory, fetched, read);
        inMemory = 0;
        fetched = 0;
        read = 0;
        return lookups;
    }

    /** A small record; null if it is absent. */
    Bytes small(Bytes internalKey) {
        Bytes value = pendingSmall.get(internalKey);
        if (value == null) {
            return engine.small(internalKey);
        }
        return value.isEmpty() ? null : value;
    }

    /**
     * Existing keys of a span in order.
     *
     * @param own changes of the turn that asks, which win over everything here
     * @param inPlaceMax stored keys, deleted ones included, that may be walked over here
     * @throws io.brain.backend.model.BackendException REQUEST_TOO_LARGE if there are more than
     *     {@code max}
     * @throws WideSpan if there are more than {@code inPlaceMax} to walk over
     */
    List<Bytes> keys(KeySpan span, SortedMap<Bytes, HeadRecord> own, int max, int inPlaceMax) {
        if (span.isEmpty()) {
            return List.of();
        }
        NavigableMap<Bytes, Boolean> changes = new TreeMap<>();
        slice(pending.sorted(), span.key(), span.end())
                .forEach((key, record) -> changes.put(key, record.exists()));
        slice(own, span.key(), span.end())
                .forEach((key, record) -> changes.put(key, record.exists()));
        MergeIterator merged = new MergeIterator(changes, max);
        int walked = 0;
        try (Cursor cursor = engine.cursor(coder.heads(span))) {
            while (cursor.next()) {
                if (walked++ == inPlaceMax) {
                    throw new WideSpan(span);
                }
                boolean exists = cursor.valueLength() > VersionRecord.TRAILER;
                merged.stored(coder.keyOfHead(cursor.key()), exists);
            }
        }
        return merged.finish();
    }

    /**
     * Existing keys of a span that was walked ahead, in order.
     *
     * @param own as in {@link #keys}
     * @param max as in {@link #keys}
     */
    List<Bytes> keys(SpanScan walk, SortedMap<Bytes, HeadRecord> own, int max) {
        List<Bytes> look = new ArrayList<>(walk.changed());
        NavigableMap<Bytes, Boolean> changes = new TreeMap<>();
        for (int from = 0; from < look.size(); from += fetchMax) {
            List<Bytes> some = look.subList(from, Math.min(from + fetchMax, look.size()));
            some.forEach(this::name);
            fetchNamed();
            some.forEach(key -> changes.put(key, get(key).exists()));
        }
        slice(own, walk.span().key(), walk.span().end())
                .forEach((key, record) -> changes.put(key, record.exists()));
        return walk.keys(new MergeIterator(changes, max));
    }

    /** Tells a walk that is about to begin what is pending, and from now on what changes. */
    void note(SpanScan walk) {
        KeySpan span = walk.span();
        slice(pending.sorted(), span.key(), span.end()).keySet().forEach(walk::note);
        walks.add(walk);
    }

    /** A walk need not know any more. */
    void forget(SpanScan walk) {
        walks.remove(walk);
    }

    /**
     * Keys with an attachment record, in order, {@code max} at most. The keys themselves may say
     * otherwise.
     */
    List<Bytes> attachments(long lease, SortedMap<Bytes, Bytes> own, int max) {
        var range = coder.attachments(lease);
        NavigableMap<Bytes, Boolean> changes = new TreeMap<>();
        slice(pendingSmall.sorted(), range.start(), range.end())
                .forEach((key, value) -> changes.put(key, !value.isEmpty()));
        slice(own, range.start(), range.end())
                .forEach((key, value) -> changes.put(key, !value.isEmpty()));
        MergeIterator merged = new MergeIterator(changes, Integer.MAX_VALUE);
        try (Cursor cursor = engine.cursor(range)) {
            while (merged.size() < max && cursor.next()) {
                merged.stored(cursor.key(), true);
            }
        }
        List<Bytes> keys = new ArrayList<>();
        for (Bytes attachment : merged.finish()) {
            if (keys.size() < max) {
                keys.add(coder.attachedKey(attachment));
            }
        }
        return keys;
    }

    /** A batch on its way changes a key. */
    void pin(Bytes key, HeadRecord record, long batch) {
        pending.pin(key, record, batch);
        for (SpanScan walk : walks) {
            walk.note(key);
        }
    }

    /** A batch on its way changes a small record; empty bytes: removes it. */
    void pinSmall(Bytes internalKey, Bytes value, long batch) {
        pendingSmall.pin(internalKey, value, batch);
    }

    /** A batch was published: the engine shows its changes. */
    void release(CommitBatch batch) {
        engine.release();
        // A batch with very many keys would push out of the cache what is in use.
        boolean wide = batch.changedKeys().size() > CACHED_KEYS_MAX;
        for (Bytes key : batch.changedKeys()) {
            HeadRecord record = pending.release(key, batch.number());
            if (record != null && (!wide || cache.contains(key))) {
                cache.put(key, record);
            }
        }
        for (Bytes internalKey : batch.changedSmall()) {
            pendingSmall.release(internalKey, batch.number());
        }
    }

    /** Lets go of the engine's snapshot, so that none is held while nothing happens. */
    void releaseSnapshot() {
        engine.release();
    }

    /** Forgets everything: batches on their way will never land. */
    void clear() {
        engine.release();
        pending.clear();
        pendingSmall.clear();
        cache.clear();
    }

    /**
     * How newest records were found.
     *
     * @param inMemory lookups that were answered without the engine
     * @param fetched records that were read ahead of their lookup
     * @param read lookups that had to wait for the engine
     */
    record Lookups(long inMemory, long fetched, long read) {}

    private static <V> SortedMap<Bytes, V> slice(SortedMap<Bytes, V> map, Bytes start, Bytes end) {
        return end == null ? map.tailMap(start) : map.subMap(start, end);
    }
}
