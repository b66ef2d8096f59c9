package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.txn.HeadRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import org.junit.jupiter.api.Test;

class RecordCacheTest {
    private final RecordCache cache = new RecordCache(10_000);

    @Test
    void itStaysWithinItsBytesWhateverGoesIn() {
        for (int i = 0; i < 1000; i++) {
            cache.put(key(i % 300), record(i % 300, i % 1000));
            assertThat(cache.bytes()).isLessThanOrEqualTo(10_000);
        }
        assertThat(cache.bytes()).isGreaterThan(5_000);
    }

    @Test
    void theLeastRecentlyUsedLeavesFirst() {
        for (int i = 0; i < 5; i++) {
            cache.put(key(i), record(i, 1500));
        }
        assertThat(cache.get(key(0))).isNotNull();
        cache.put(key(5), record(5, 1500));
        assertThat(cache.get(key(0))).isNotNull();
        assertThat(cache.get(key(1))).isNull();
    }

    @Test
    void aRecordLargerThanTheCacheIsNotKept() {
        cache.put(key(1), record(1, 20_000));
        assertThat(cache.get(key(1))).isNull();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void replacingARecordCountsItOnce() {
        cache.put(key(1), record(1, 100));
        long once = cache.bytes();
        cache.put(key(1), record(1, 100));
        assertThat(cache.bytes()).isEqualTo(once);
        cache.put(key(1), HeadRecord.ABSENT);
        assertThat(cache.bytes()).isLessThan(once);
        cache.clear();
        assertThat(cache.bytes()).isZero();
        assertThat(cache.contains(key(1))).isFalse();
    }

    private static Bytes key(int i) {
        return Bytes.utf8("key" + i);
    }

    private static HeadRecord record(int i, int valueBytes) {
        Bytes value = Bytes.wrap(new byte[valueBytes]);
        return new HeadRecord(
                2, 0, KeyValue.decode(KeyValueCodec.encode(key(i), 2, 2, 1, value, 0)));
    }
}
