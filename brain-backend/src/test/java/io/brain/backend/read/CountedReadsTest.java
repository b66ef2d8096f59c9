package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.testkit.MemoryStorage;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Counts between changes: always right, and without a scan once they are known. */
class CountedReadsTest {
    private final CountingStorage storage = new CountingStorage(new MemoryStorage());
    private final StoreWriter store = new StoreWriter(storage, new KeyCoder(Bytes.EMPTY));
    private final RangeReader reader = store.reader();
    private final KeySpan span = Queries.span("k", "l");

    @Test
    void everyCountEqualsTheModels() {
        for (int seed = 1; seed <= 20; seed++) {
            new History(seed).play();
        }
    }

    @Test
    void aKnownCountReadsNoKeysAfterChanges() {
        fill(1000);
        assertThat(count(0)).isEqualTo(1000);
        long pinned = store.put("k0500+", "new");
        store.delete("k0100");
        store.put("k0200", "again");
        storage.reset();
        assertThat(count(0)).isEqualTo(1000);
        assertThat(count(pinned)).isEqualTo(1001);
        assertThat(storage.cursors).isZero();
    }

    @Test
    void aPageCountsTheRestInAFewSteps() {
        fill(1000);
        count(0);
        storage.reset();
        OpResult.Range page = reader.read(Queries.limited(span, 10));
        assertThat(page.count()).isEqualTo(1000);
        assertThat(page.more()).isTrue();
        assertThat(storage.steps + storage.seeks).isLessThan(200);
    }

    @Test
    void anUncountedPageReadsNothingBehindIt() {
        fill(1000);
        RangeQuery page = RangeQuery.of(span).with(span, 0, 10, false);
        storage.reset();
        OpResult.Range first = reader.read(page);
        assertThat(first.kvs()).hasSize(10);
        assertThat(first.more()).isTrue();
        assertThat(storage.steps + storage.seeks).isLessThan(20);
        KeySpan rest = Queries.span("k0995", "l");
        OpResult.Range last = reader.read(page.with(rest, 0, 10));
        assertThat(last.more()).isFalse();
        assertThat(last.count()).isEqualTo(5);
    }

    @Test
    void aCursorStepCountsTheRestOfASmallBlock() {
        fill(1000);
        HeadCache usual = new HeadCache(64 << 20, store.revisions().committed().revision());
        RangeReader cursor =
                new RangeReader(
                        new Store(storage, new KeyCoder(Bytes.EMPTY), store.revisions()), usual);
        assertThat(cursor.read(counted(span, 0)).count()).isEqualTo(1000);
        storage.reset();
        KeySpan rest = Queries.span("k0513", "l");
        assertThat(cursor.read(Queries.limited(rest, 1)).count()).isEqualTo(487);
        assertThat(storage.steps + storage.seeks).isLessThan(40);
    }

    /** Nor is such a block held in memory while it is read. */
    @Test
    void aBlockThatIsTooLargeForTheCacheIsNotReadToItsEnd() {
        String large = "x".repeat(100_000);
        for (int i = 0; i < 100; i++) {
            store.put(String.format("k%04d", i), large);
        }
        HeadCache small = new HeadCache(4 << 20, store.revisions().committed().revision());
        RangeReader first =
                new RangeReader(
                        new Store(storage, new KeyCoder(Bytes.EMPTY), store.revisions()), small);
        assertThat(first.read(counted(span, 0)).count()).isEqualTo(100);
        storage.reset();
        assertThat(first.read(Queries.limited(span, 1)).count()).isEqualTo(100);
        assertThat(storage.values).isLessThan(5);
    }

    @Test
    void aMissedRevisionClearsTheCache() {
        fill(100);
        count(0);
        long revision = store.revisions().committed().revision();
        assertThat(store.known().counted(Bytes.EMPTY, null, revision)).isNotNull();
        store.known().events(new RevisionEvents(revision + 5, List.of(), false));
        assertThat(store.known().counted(Bytes.EMPTY, null, revision + 5)).isNull();
    }

    @Test
    void countsOfTooOldRevisionsAreScanned() {
        fill(1500);
        for (long revision = 1; revision <= 1501; revision += 100) {
            assertThat(count(revision)).isEqualTo(revision - 1);
        }
        for (int i = 0; i < 1500; i++) {
            store.delete(String.format("k%04d", i));
        }
        assertThat(count(1001)).isEqualTo(1000);
        assertThat(count(2001)).isEqualTo(1000);
        assertThat(count(0)).isZero();
    }

    @Test
    void aFailedScanLeavesNoWrongCount() {
        fill(100);
        Bytes stored = store.replaceHead("k0050", Bytes.utf8("cut short"));
        assertThatThrownBy(() -> reader.read(RangeQuery.of(span)))
                .isInstanceOf(StorageException.class);
        store.replaceHead("k0050", stored);
        assertThat(count(0)).isEqualTo(100);
    }

    private void fill(int keys) {
        for (int i = 0; i < keys; i++) {
            store.put(String.format("k%04d", i), "v");
        }
    }

    private long count(long revision) {
        return reader.read(counted(span, revision)).count();
    }

    private static RangeQuery counted(KeySpan span, long revision) {
        return new RangeQuery(
                span,
                0,
                revision,
                SortOrder.NONE,
                SortTarget.KEY,
                false,
                true,
                false,
                RevisionFilter.NONE);
    }

    /** Random changes; compares counts at the last revisions with a model. */
    private static final class History {
        private static final int STEPS = 800;
        private static final int KEYS = 400;
        private static final int STATES = 40;

        private final int seed;
        private final Random random;
        private final StoreWriter store =
                new StoreWriter(new MemoryStorage(), new KeyCoder(Bytes.EMPTY));
        private final RangeReader reader = store.reader();
        private final NavigableSet<Bytes> now = new TreeSet<>();
        private final NavigableMap<Long, NavigableSet<Bytes>> states = new TreeMap<>();

        /** Start of the keys that are changed: ranges of keys are filled and emptied. */
        private int around;

        History(int seed) {
            this.seed = seed;
            random = new Random(seed);
        }

        void play() {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(50) == 0) {
                    around = random.nextInt(KEYS);
                }
                change();
                if (random.nextInt(3) == 0) {
                    compare(step);
                }
            }
        }

        private void change() {
            StoreWriter.Write write = store.write();
            boolean emptying = around % 3 == 0;
            NavigableSet<Bytes> touched = new TreeSet<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                Bytes key = key((around + random.nextInt(40)) % KEYS);
                if (!touched.add(key)) {
                    continue;
                }
                if (now.contains(key) && random.nextInt(4) < (emptying ? 3 : 1)) {
                    write.delete(key);
                    now.remove(key);
                } else {
                    write.put(key, Bytes.EMPTY, 0);
                    now.add(key);
                }
            }
            states.put(write.commit(), new TreeSet<>(now));
            if (states.size() > STATES) {
                states.pollFirstEntry();
            }
        }

        private void compare(int step) {
            long revision = states.firstKey() + random.nextInt(states.size());
            Bytes from = key(random.nextInt(KEYS));
            Bytes to = random.nextInt(5) == 0 ? Bytes.wrap(new byte[1]) : key(random.nextInt(KEYS));
            KeySpan span = KeySpan.of(from, to);
            long expected = states.get(revision).stream().filter(span::contains).count();
            String what = "seed " + seed + ", step " + step + ", " + span + " at " + revision;
            if (random.nextBoolean()) {
                OpResult.Range page =
                        reader.read(RangeQuery.at(span, revision, 1 + random.nextInt(50)));
                assertThat(page.count()).as(what).isEqualTo(expected);
            } else {
                assertThat(reader.read(counted(span, revision)).count())
                        .as(what)
                        .isEqualTo(expected);
            }
        }

        private static Bytes key(int number) {
            return Bytes.utf8(String.format("/k/%03d", number));
        }
    }
}
