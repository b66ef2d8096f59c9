package io.brain.backend.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cache.CacheGap.Use;
import io.brain.backend.cache.HeadCache.CountedRange;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/** Heads of single keys and of complete blocks. */
class HeadCacheTest {
    private static final Bytes KEY = Bytes.utf8("key");
    private static final int BYTES_MAX = 1 << 20;

    private final HeadCache cache = new HeadCache(BYTES_MAX, 10, 4, 4096, 4096);

    @Test
    void aHeadThatWasReadIsKnownAtItsRevisionAndLater() {
        cache.learn(KEY, kv(KEY, 7), 10);
        assertThat(cache.find(KEY, 10)).isEqualTo(kv(KEY, 7));
        assertThat(cache.find(KEY, 7)).as("nothing changed it since").isEqualTo(kv(KEY, 7));
        assertThat(cache.find(KEY, 6)).isNull();
        commit(put(Bytes.utf8("other"), 11));
        assertThat(cache.find(KEY, 11)).isEqualTo(kv(KEY, 7));
        assertThat(cache.find(Bytes.utf8("other"), 11)).as("written, not read").isNull();
    }

    @Test
    void absentKeysAreKnown() {
        cache.learn(KEY, null, 10);
        assertThat(cache.find(KEY, 10)).isEqualTo(Bytes.EMPTY);
        assertThat(cache.find(KEY, 9)).isNull();
    }

    @Test
    void aCommitUpdatesAHead() {
        cache.learn(KEY, kv(KEY, 7), 10);
        commit(put(KEY, 11));
        assertThat(cache.find(KEY, 11)).isEqualTo(kv(KEY, 11));
        assertThat(cache.find(KEY, 10)).as("at a read point before the commit").isNull();
        commit(delete(KEY, 12));
        assertThat(cache.find(KEY, 12)).isEqualTo(Bytes.EMPTY);
        assertThat(cache.find(KEY, 11)).isNull();
    }

    @Test
    void aReadBeforeACommitAddsNothing() {
        commit(put(KEY, 11));
        cache.learn(KEY, kv(KEY, 7), 10);
        assertThat(cache.find(KEY, 11)).isNull();
        fill(12, 0, 8);
        CacheGap gap = gaps(key(0), key(8), 19).get(0);
        commit(put(key(1), 20));
        cache.learn(gap, List.of(), List.of(), 19);
        assertThat(cache.heads(key(0), 20)).isNull();
    }

    @Test
    void aRevisionOutOfOrderClearsTheCache() {
        cache.learn(KEY, kv(KEY, 7), 10);
        assertThat(cache.find(KEY, 12)).as("revision 11 is missing").isNull();
        commit(put(Bytes.utf8("other"), 13));
        assertThat(cache.find(KEY, 13)).isNull();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void aRevisionWithoutEventsClearsTheCache() {
        cache.learn(KEY, kv(KEY, 7), 10);
        cache.events(new RevisionEvents(11, List.of(), true));
        assertThat(cache.find(KEY, 11)).isNull();
        cache.learn(KEY, kv(KEY, 7), 10);
        assertThat(cache.find(KEY, 11)).isNull();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void theSecondReadOfARangeAddsItsHeads() {
        fill(11, 0, 12);
        assertThat(gaps(key(0), key(100), 22))
                .extracting(CacheGap::use)
                .containsOnly(Use.HEADS, Use.COUNT);
        load(key(0), key(12), 22);
        CachedHeads heads = cache.heads(key(5), 22);
        assertThat(heads.key(heads.indexFrom(key(5)))).isEqualTo(key(5));
        assertThat(cache.find(key(5), 22)).isEqualTo(kv(key(5), 16));
        assertThat(cache.find(Bytes.utf8("k0005+"), 22)).isEqualTo(Bytes.EMPTY);
        assertThat(cache.heads(key(5), 21)).as("before they were read").isNull();
    }

    @Test
    void commitsUpdateHeadsOfBlocks() {
        fill(11, 0, 12);
        load(key(0), key(12), 22);
        commit(put(key(5), 23));
        commit(delete(key(6), 24));
        for (int i = 0; i < 20; i++) {
            Bytes between = Bytes.utf8(String.format("k0007+%02d", i));
            commit(create(between, 25 + i));
        }
        assertThat(all(44))
                .startsWith(
                        "k0000", "k0001", "k0002", "k0003", "k0004", "k0005", "k0007", "k0007+00")
                .contains("k0007+19", "k0011")
                .hasSize(31);
        assertThat(cache.counted(key(0), key(12), 44).keys()).isEqualTo(31);
        assertThat(cache.find(key(5), 44)).isEqualTo(kv(key(5), 23));
        assertThat(cache.find(key(6), 44)).isEqualTo(Bytes.EMPTY);
        for (int i = 0; i < 12; i++) {
            commit(delete(key(i), 45 + i));
        }
        assertThat(all(56)).hasSize(20).startsWith("k0007+00");
    }

    @Test
    void blocksNotReadLatelyAreEvicted() {
        List<Bytes> keys = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            Bytes key = Bytes.utf8("key-" + i);
            keys.add(key);
            cache.learn(key, kv(key, 7), 10);
            cache.find(keys.get(0), 10);
            assertThat(cache.bytes()).isBetween(1L, (long) BYTES_MAX);
        }
        assertThat(cache.find(keys.get(0), 10)).as("read often").isNotNull();
        assertThat(keys.stream().filter(key -> cache.find(key, 10) != null).count())
                .isBetween(1_000L, 10_000L);
    }

    @Test
    void aLongValueIsNotCached() {
        cache.learn(KEY, kv(KEY, 7), 10);
        Bytes large = Bytes.wrap(new byte[BYTES_MAX / 8]);
        cache.learn(Bytes.utf8("large"), large, 10);
        assertThat(cache.find(Bytes.utf8("large"), 10)).isNull();
        assertThat(cache.find(KEY, 10)).isNotNull();
        commit(new WatchEvent(KEY, 11, false, large, kv(KEY, 7)));
        assertThat(cache.find(KEY, 11)).as("too long now").isNull();
        assertThat(cache.bytes()).isZero();
    }

    /**
     * An array of revisions replaces the store: the last change of each key, negative for a delete.
     * Some revisions are published before the cache receives them, some are missing.
     */
    @Test
    void concurrentReadersNeverSeeReplacedVersions() throws InterruptedException {
        Model model = new Model();
        List<Thread> readers = new ArrayList<>();
        for (int reader = 0; reader < 3; reader++) {
            Random random = new Random(reader);
            Thread thread = new Thread(() -> model.readUntilStopped(random));
            thread.start();
            readers.add(thread);
        }
        model.write(new Random(99));
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(model.wrong).isEmpty();
        assertThat(model.keysFound.get()).as("keys found").isPositive();
        assertThat(model.blocksFound.get()).as("blocks found").isPositive();
        assertThat(model.counted.get()).as("counts found").isPositive();
    }

    private final class Model {
        private static final int KEYS = 48;
        private static final int REVISIONS = 20_000;
        private final AtomicLong published = new AtomicLong(10);
        private final AtomicBoolean stop = new AtomicBoolean();
        private final List<String> wrong = new ArrayList<>();
        private final AtomicLong keysFound = new AtomicLong();
        private final AtomicLong blocksFound = new AtomicLong();
        private final AtomicLong counted = new AtomicLong();

        /** The state of each key at each revision; written before the revision is published. */
        private final AtomicLongArray states = new AtomicLongArray(KEYS * REVISIONS);

        void write(Random random) throws InterruptedException {
            long[] now = new long[KEYS];
            for (long revision = 11; revision < REVISIONS; revision++) {
                int at = random.nextInt(KEYS);
                boolean existed = now[at] > 0;
                boolean deletes = existed && random.nextInt(3) == 0;
                now[at] = deletes ? -revision : revision;
                for (int i = 0; i < KEYS; i++) {
                    states.set((int) revision * KEYS + i, now[i]);
                }
                int way = random.nextInt(400);
                if (way < 2) {
                    published.set(revision);
                }
                if (way != 0) {
                    Bytes key = key(at);
                    commit(
                            deletes
                                    ? delete(key, revision)
                                    : existed ? put(key, revision) : create(key, revision));
                }
                published.set(revision);
                if (revision == REVISIONS / 2) {
                    awaitReaders();
                }
            }
            stop.set(true);
        }

        /** So that the readers run beside what follows, with a cache that has something. */
        private void awaitReaders() throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (isMissed() && System.nanoTime() < end) {
                Thread.sleep(1);
            }
        }

        private boolean isMissed() {
            return keysFound.get() == 0 || blocksFound.get() == 0 || counted.get() == 0;
        }

        void readUntilStopped(Random random) {
            while (!stop.get()) {
                long revision = published.get();
                int at = random.nextInt(KEYS);
                if (random.nextBoolean()) {
                    readKey(at, revision);
                } else {
                    readBlocks(at, revision);
                }
            }
        }

        private void readKey(int at, long revision) {
            Bytes found = cache.find(key(at), revision);
            Bytes right = state(at, revision);
            if (found == null) {
                cache.learn(key(at), right.isEmpty() ? null : right, revision);
                return;
            }
            keysFound.incrementAndGet();
            compare(right, found, key(at) + " at " + revision);
        }

        private void readBlocks(int at, long revision) {
            CountedRange count = cache.counted(key(at), null, revision);
            if (count != null) {
                counted.incrementAndGet();
                compare(
                        (long) keys(count.from(), count.to(), revision).size(),
                        count.keys(),
                        count + " at " + revision);
            }
            CachedHeads heads = cache.heads(key(at), revision);
            if (heads != null) {
                blocksFound.incrementAndGet();
                int first = heads.indexFrom(key(at));
                List<Bytes> found = new ArrayList<>();
                for (int i = first; i < heads.size(); i++) {
                    found.add(heads.kv(i));
                }
                compare(
                        kvs(key(at), heads.end(), revision),
                        found,
                        key(at) + " on, at " + revision);
                return;
            }
            for (CacheGap gap : cache.gaps(key(at), null, revision, true)) {
                List<Bytes> keys = keys(gap.start(), gap.end(), revision);
                if (gap.use() == Use.HEADS) {
                    cache.learn(gap, keys, kvs(gap.start(), gap.end(), revision), revision);
                } else if (gap.use() == Use.COUNT) {
                    BlockTally tally = cache.tally(gap.start());
                    for (Bytes key : keys) {
                        if (tally.isFull()) {
                            tally.begin(key);
                        }
                        tally.count();
                    }
                    cache.learn(tally, gap.end(), revision);
                }
            }
        }

        private Bytes state(int at, long revision) {
            long state = states.get((int) revision * KEYS + at);
            return state > 0 ? kv(key(at), state) : Bytes.EMPTY;
        }

        private List<Bytes> keys(Bytes from, Bytes to, long revision) {
            List<Bytes> keys = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                boolean within =
                        key(i).compareTo(from) >= 0 && (to == null || key(i).compareTo(to) < 0);
                if (within && !state(i, revision).isEmpty()) {
                    keys.add(key(i));
                }
            }
            return keys;
        }

        private List<Bytes> kvs(Bytes from, Bytes to, long revision) {
            return keys(from, to, revision).stream()
                    .map(key -> state(Integer.parseInt(key.toString().substring(1)), revision))
                    .toList();
        }

        private void compare(Object right, Object found, String what) {
            if (!right.equals(found)) {
                synchronized (wrong) {
                    wrong.add(what + ": " + found + " instead of " + right);
                }
            }
        }
    }

    /** Commits new keys, one per revision, and counts them. */
    private void fill(long revision, int from, int to) {
        for (int i = from; i < to; i++) {
            commit(create(key(i), revision + i - from));
        }
        BlockTally tally = cache.tally(key(from));
        for (int i = from; i < to; i++) {
            if (tally.isFull()) {
                tally.begin(key(i));
            }
            tally.count();
        }
        cache.learn(tally, key(to), revision + to - from - 1);
    }

    /** Adds the heads of gaps; of keys that {@link #fill} committed from revision 11 on. */
    private void load(Bytes from, Bytes to, long at) {
        for (CacheGap gap : gaps(from, to, at)) {
            List<Bytes> keys = new ArrayList<>();
            List<Bytes> kvs = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                if (key(i).compareTo(gap.start()) >= 0 && key(i).compareTo(gap.end()) < 0) {
                    keys.add(key(i));
                    kvs.add(kv(key(i), 11 + i));
                }
            }
            cache.learn(gap, keys, kvs, at);
        }
    }

    private List<CacheGap> gaps(Bytes from, Bytes to, long at) {
        return cache.gaps(from, to, at, true);
    }

    /** All keys of the blocks from the first key on. */
    private List<String> all(long revision) {
        List<String> keys = new ArrayList<>();
        Bytes from = key(0);
        while (from != null && from.compareTo(key(12)) < 0) {
            CachedHeads heads = cache.heads(from, revision);
            for (int i = heads.indexFrom(from); i < heads.size(); i++) {
                keys.add(heads.key(i).toString());
            }
            from = heads.end();
        }
        return keys;
    }

    private void commit(WatchEvent event) {
        cache.events(new RevisionEvents(event.revision(), List.of(event), false));
    }

    private static Bytes key(int number) {
        return Bytes.utf8(String.format("k%04d", number));
    }

    private static WatchEvent create(Bytes key, long revision) {
        return new WatchEvent(key, revision, false, kv(key, revision), null);
    }

    private static WatchEvent put(Bytes key, long revision) {
        return new WatchEvent(key, revision, false, kv(key, revision), kv(key, revision - 1));
    }

    private static WatchEvent delete(Bytes key, long revision) {
        return new WatchEvent(
                key, revision, true, KeyValueCodec.encodeDeleted(key, revision), null);
    }

    /** Equal for equal keys and revisions, whether the key was created or updated then. */
    private static Bytes kv(Bytes key, long revision) {
        return KeyValueCodec.encode(key, revision, revision, 1, Bytes.utf8("value"), 0);
    }
}
