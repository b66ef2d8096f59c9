package io.brain.backend.read;

import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Random changes, made in a store and in the model alike, and random requests. The keys are few,
 * prefixes of each other, and made of the bytes around which the coder escapes.
 */
final class RandomHistory {
    private static final byte[] ALPHABET = {0, 1, 0x24, 0x25, 0x26, 'a', (byte) 0xff};

    private final Random random;
    private final StoreWriter store;
    private final NaiveModel model;
    private final List<Bytes> keys = new ArrayList<>();

    RandomHistory(Random random, StoreWriter store, NaiveModel model) {
        this.random = random;
        this.store = store;
        this.model = model;
        Set<Bytes> distinct = new LinkedHashSet<>();
        int count = 3 + random.nextInt(12);
        while (distinct.size() < count) {
            distinct.add(key());
        }
        keys.addAll(distinct);
    }

    /** One revision of one to four changes. */
    void change() {
        StoreWriter.Write write = store.write();
        NavigableMap<Bytes, NaiveModel.Kv> state = model.begin();
        long revision = model.revision();
        Set<Bytes> touched = new LinkedHashSet<>();
        int changes = random.nextInt(5) == 0 ? 4 : 1;
        while (touched.size() < Math.min(changes, keys.size())) {
            // Some keys are changed far more often than others.
            Bytes key =
                    keys.get(Math.min(random.nextInt(keys.size()), random.nextInt(keys.size())));
            if (!touched.add(key)) {
                continue;
            }
            if (state.containsKey(key) && random.nextInt(4) == 0) {
                write.delete(key);
                state.remove(key);
            } else {
                long lease = random.nextInt(3) == 0 ? random.nextInt(100) : 0;
                Bytes value = value();
                write.put(key, value, lease);
                NaiveModel.putInto(state, key, value, lease, revision);
            }
        }
        write.commit();
    }

    /** Stores a revision without publishing it. */
    void storeUnpublished() {
        StoreWriter.Write write = store.write();
        for (Bytes key : keys) {
            if (store.newest(key) != null && random.nextBoolean()) {
                write.delete(key);
            } else {
                write.put(key, value(), 0);
            }
        }
        write.store();
    }

    long someRevision() {
        return 1L + random.nextInt((int) model.revision());
    }

    RangeQuery query() {
        long revision =
                switch (random.nextInt(8)) {
                    case 0, 1 -> 0;
                    case 2 -> -1 - random.nextInt(9);
                    case 3 -> model.revision() + random.nextInt(2);
                    default -> someRevision();
                };
        return query(revision);
    }

    RangeQuery query(long revision) {
        return new RangeQuery(
                span(),
                limit(),
                revision,
                pick(SortOrder.values()),
                pick(SortTarget.values()),
                random.nextInt(3) == 0,
                random.nextInt(6) == 0,
                random.nextBoolean(),
                new RevisionFilter(bound(), bound(), bound(), bound()));
    }

    Compare compare() {
        return new Compare(
                span(),
                pick(Compare.Target.values()),
                pick(Compare.Relation.values()),
                random.nextBoolean() ? random.nextInt(3) : someRevision(),
                random.nextInt(3) == 0 ? Bytes.EMPTY : value());
    }

    /**
     * What a transaction at the end of {@code revision} may have changed: the encoded KeyValues,
     * and the same in {@code state}.
     */
    NavigableMap<Bytes, Bytes> overlay(long revision, NavigableMap<Bytes, NaiveModel.Kv> state) {
        NavigableMap<Bytes, Bytes> overlay = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Bytes key = random.nextInt(4) == 0 ? key() : keys.get(random.nextInt(keys.size()));
            if (random.nextInt(3) == 0) {
                state.remove(key);
                overlay.put(key, Bytes.EMPTY);
            } else {
                NaiveModel.Kv kv = NaiveModel.putInto(state, key, value(), 0, revision + 1);
                overlay.put(key, kv.encoded());
            }
        }
        return overlay;
    }

    private KeySpan span() {
        Bytes from = random.nextBoolean() ? keys.get(random.nextInt(keys.size())) : key();
        return switch (random.nextInt(6)) {
            case 0, 1 -> KeySpan.of(from);
            case 2 -> KeySpan.of(from, Bytes.wrap(new byte[1]));
            case 3 -> KeySpan.of(Bytes.wrap(new byte[1]), Bytes.wrap(new byte[1]));
            default -> KeySpan.of(from, key());
        };
    }

    private long limit() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> 0;
            case 2 -> -1;
            case 3 -> Long.MAX_VALUE - random.nextInt(2);
            default -> 1 + random.nextInt(5);
        };
    }

    private long bound() {
        return random.nextInt(6) == 0 ? random.nextInt((int) model.revision() + 2) - 1 : 0;
    }

    private Bytes value() {
        byte[] value = new byte[random.nextInt(4)];
        random.nextBytes(value);
        return Bytes.wrap(value);
    }

    private Bytes key() {
        byte[] key = new byte[1 + random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = ALPHABET[random.nextInt(ALPHABET.length)];
        }
        return Bytes.wrap(key);
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
