package io.brain.backend.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cache.HeadCache.CountedRange;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeadCacheCountTest {
    private static final int BLOCKS_MAX = 16;

    private final HeadCache counts = new HeadCache(0, 1, 4, BLOCKS_MAX, 1024);
    private long revision = 1;

    @Test
    void aNewCacheHasNoCounts() {
        assertThat(counts.counted(Bytes.EMPTY, null, 1)).isNull();
    }

    @Test
    void countsOfAScanAreUpdatedByCommits() {
        learn(0, 10, key(0), key(10), 1);
        assertThat(counts.counted(Bytes.EMPTY, null, 1))
                .isEqualTo(new CountedRange(key(0), key(10), 10));
        create(4, 20);
        assertThat(counts.counted(Bytes.EMPTY, null, 2))
                .isEqualTo(new CountedRange(key(0), key(10), 11));
        assertThat(counts.counted(Bytes.EMPTY, null, 1))
                .isEqualTo(new CountedRange(key(0), key(10), 10));
        remove(4);
        assertThat(counts.counted(Bytes.EMPTY, null, 3))
                .isEqualTo(new CountedRange(key(0), key(10), 10));
    }

    @Test
    void aKeyCreatedAndDeletedInOneRevisionChangesNothing() {
        learn(0, 10, key(0), key(10), 1);
        commit(put(5, 1), put(5, 2), delete(5), put(5, 1), delete(5));
        assertThat(counts.counted(Bytes.EMPTY, null, 2).keys()).isEqualTo(10);
    }

    @Test
    void onlyCompleteBlocksOfTheRangeAreCounted() {
        learn(0, 12, key(0), key(12), 1);
        CountedRange counted = counts.counted(key(2), key(11), 1);
        assertThat(counted).isEqualTo(new CountedRange(key(4), key(8), 4));
        assertThat(counts.counted(key(5), key(7), 1)).isNull();
    }

    @Test
    void aPartThatIsCountedAgainLeavesTheRestKnown() {
        learn(0, 4, key(0), key(100), 1);
        for (int i = 4; i < 40; i++) {
            create(i);
        }
        learn(20, 40, key(20), key(100), revision);
        assertThat(counts.counted(key(0), key(100), revision))
                .isEqualTo(new CountedRange(key(0), key(100), 40));
        assertThat(counts.counted(key(0), key(20), revision))
                .isEqualTo(new CountedRange(key(0), key(20), 20));
        assertThat(counts.counted(key(21), key(29), revision))
                .isEqualTo(new CountedRange(key(24), key(28), 4));
    }

    @Test
    void aScanOfAnOlderRevisionIsUpdated() {
        create(3, 7);
        learn(10, 20, key(0), null, 1);
        remove(3);
        assertThat(counts.counted(key(0), null, 1).keys()).isEqualTo(10);
        assertThat(counts.counted(key(0), null, 2).keys()).isEqualTo(12);
        assertThat(counts.counted(key(0), null, 3).keys()).isEqualTo(11);
    }

    @Test
    void aScanOverSeveralBlocksIsIgnored() {
        learn(0, 10, key(0), key(10), 1);
        learn(0, 30, Bytes.EMPTY, null, 1);
        assertThat(counts.counted(Bytes.EMPTY, null, 1))
                .isEqualTo(new CountedRange(key(0), key(10), 10));
    }

    @Test
    void blocksAreLimited() {
        for (int i = 0; i < 5000; i += 1000) {
            learn(i, i + 1000, key(i), key(i + 1000), revision);
            assertThat(counts.blocks()).isLessThanOrEqualTo(BLOCKS_MAX);
        }
        assertThat(counts.counted(key(0), key(5000), revision).keys()).isEqualTo(5000);
        for (int i = 6000; i < 96_000; i += 2000) { // the keys between are unknown
            learn(i, i + 1000, key(i), key(i + 1000), revision);
            assertThat(counts.blocks()).isLessThanOrEqualTo(BLOCKS_MAX);
        }
    }

    @Test
    void emptiedBlocksAreJoined() {
        learn(0, 40, key(0), key(40), 1);
        int before = counts.blocks();
        for (int i = 0; i < 40; i++) {
            remove(i);
        }
        assertThat(counts.blocks()).isLessThan(before - 5);
        assertThat(counts.counted(key(0), key(40), revision))
                .isEqualTo(new CountedRange(key(0), key(40), 0));
    }

    /** Adds a scan of {@code [begin, end)} that found these keys. */
    private void learn(int from, int to, Bytes begin, Bytes end, long at) {
        BlockTally tally = counts.tally(begin);
        for (int i = from; i < to; i++) {
            if (tally.isFull()) {
                tally.begin(key(i));
            }
            tally.count();
        }
        counts.learn(tally, end, at);
    }

    private void create(int... numbers) {
        List<WatchEvent> events = new ArrayList<>();
        for (int number : numbers) {
            events.add(put(number, 1));
        }
        commit(events.toArray(WatchEvent[]::new));
    }

    private void remove(int number) {
        commit(delete(number));
    }

    private void commit(WatchEvent... events) {
        revision++;
        counts.events(new RevisionEvents(revision, List.of(events), false));
    }

    private WatchEvent put(int number, int version) {
        Bytes kv = KeyValueCodec.encode(key(number), 1, 2, version, Bytes.EMPTY, 0);
        return new WatchEvent(key(number), revision + 1, false, kv, null);
    }

    private WatchEvent delete(int number) {
        Bytes kv = KeyValueCodec.encodeTombstone(key(number));
        return new WatchEvent(key(number), revision + 1, true, kv, null);
    }

    private static Bytes key(int number) {
        return Bytes.utf8(String.format("k%05d", number));
    }
}
