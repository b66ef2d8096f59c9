package io.brain.transfer.load;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.hash.BloomFilter;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Heads as the changes so far left them: those of the batch that is filled and of the one in flight
 * from memory, others from memory or from the store.
 */
final class Heads {
    private static final long RECENT_BYTES_MAX = 24 << 20;

    /** Memory of a head besides its bytes. */
    private static final int HEAD_BYTES = 200;

    /** Takes 8 MiB; a larger store has more keys that are looked up in vain. */
    private static final int STORED_KEYS = 8_000_000;

    private static final double FALSE_POSITIVES = 0.02;

    private final KvStorage storage;
    private final KeyCoder coder;

    /** Keys that may have a head in the store; null: all may. */
    private final BloomFilter<Bytes> stored;

    /** Heads that were read or changed not long ago. */
    private final Cache<Bytes, Head> recent =
            CacheBuilder.newBuilder()
                    .concurrencyLevel(1)
                    .maximumWeight(RECENT_BYTES_MAX)
                    .weigher(
                            (Bytes key, Head head) ->
                                    HEAD_BYTES + key.length() + head.stored().length())
                    .build();

    /** Heads that the batch in flight changes. */
    private Map<Bytes, Head> inFlight = Map.of();

    /** Heads that the next batch changes. */
    private Map<Bytes, Head> changed = new HashMap<>();

    /** Heads that were found for the next changes. */
    private final Map<Bytes, Head> fetched = new HashMap<>();

    /**
     * The heads of a store.
     *
     * @param empty true if it has none yet
     */
    Heads(KvStorage storage, KeyCoder coder, boolean empty) {
        this.storage = storage;
        this.coder = coder;
        this.stored =
                empty
                        ? BloomFilter.create(
                                (key, sink) -> sink.putBytes(key.array()),
                                STORED_KEYS,
                                FALSE_POSITIVES)
                        : null;
    }

    /** Finds the heads of keys, and forgets those that were found before. */
    void fetch(Iterable<Bytes> keys) {
        fetched.clear();
        Set<Bytes> missing = new LinkedHashSet<>();
        for (Bytes key : keys) {
            if (changed.containsKey(key) || inFlight.containsKey(key)) {
                continue;
            }
            if (stored != null && !stored.mightContain(key)) {
                fetched.put(key, Head.ABSENT);
                continue;
            }
            Head head = recent.getIfPresent(key);
            if (head == null) {
                missing.add(key);
            } else {
                fetched.put(key, head);
            }
        }
        if (!missing.isEmpty()) {
            read(missing);
        }
    }

    private void read(Set<Bytes> keys) {
        List<Bytes> headKeys = new ArrayList<>(keys.size());
        keys.forEach(key -> headKeys.add(coder.headKey(key)));
        try (Snapshot snapshot = storage.snapshot()) {
            int at = 0;
            List<Bytes> values = snapshot.get(headKeys);
            for (Bytes key : keys) {
                fetched.put(key, Head.decode(values.get(at++)));
            }
        }
    }

    /** The head of a key that was fetched. */
    Head get(Bytes key) {
        Head head = changed.get(key);
        head = head == null ? inFlight.get(key) : head;
        head = head == null ? fetched.get(key) : head;
        if (head == null) {
            throw new IllegalStateException("the head was not fetched: " + key);
        }
        return head;
    }

    void put(Bytes key, Head head) {
        changed.put(key, head);
        recent.put(key, head);
        if (stored != null) {
            stored.put(key);
        }
    }

    /** The heads to store with the batch, which is in flight from now on. */
    Map<Bytes, Head> send() {
        inFlight = changed;
        changed = new HashMap<>();
        return inFlight;
    }
}
