package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.Cursor.Direction;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import io.brain.storage.tikv.client.RegionCache;
import io.brain.storage.tikv.client.RegionLocation;
import io.brain.storage.tikv.client.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Data over many regions, which split while they are written and read. */
@Tag("peer")
@Timeout(180)
final class ManyRegionsTest {
    private static final int KEYS = 4000;
    private static final int REGIONS_MIN = 5;

    private static TestBed bed;

    private final KeyRange all = KeyRange.prefix(Bytes.utf8("many/"));

    @BeforeAll
    static void startTestBed(@TempDir Path directory) {
        bed = TestBed.start(directory, 64 << 10);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    private static Bytes key(int i) {
        return Bytes.utf8(String.format(Locale.ROOT, "many/%06d", i));
    }

    private static Bytes value(int round) {
        byte[] value = new byte[600];
        Arrays.fill(value, (byte) round);
        return Bytes.wrap(value);
    }

    /** Writes every {@code stride}th key, over all regions, in one batch. */
    private static void write(KvStorage storage, int round, int stride) throws Exception {
        WriteBatch.Builder batch = WriteBatch.builder();
        for (int i = round % stride; i < KEYS; i += stride) {
            batch.put(key(i), value(round));
        }
        CommitResult end =
                storage.commit(batch.build()).toCompletableFuture().get(1, TimeUnit.MINUTES);
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
    }

    private static List<Bytes> keys(Snapshot snapshot, KeyRange range, Direction direction) {
        List<Bytes> keys = new ArrayList<>();
        try (Cursor cursor = snapshot.cursor(range, direction)) {
            while (cursor.next()) {
                keys.add(cursor.key());
            }
        }
        return keys;
    }

    @Test
    void everythingIsFoundWhileRegionsSplit() throws Exception {
        List<Bytes> expected = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            expected.add(key(i));
        }
        List<Bytes> reversed = new ArrayList<>(expected);
        Collections.reverse(reversed);
        try (KvStorage storage = bed.open();
                Inside inside = new Inside(bed.options())) {
            write(storage, 1, 1);
            int regions = 0;
            for (int round = 2; round < 400 && regions < REGIONS_MIN; round++) {
                write(storage, round % 100, 10);
                try (Snapshot snapshot = storage.snapshot()) {
                    assertThat(keys(snapshot, all, Direction.FORWARD)).isEqualTo(expected);
                    assertThat(keys(snapshot, all, Direction.REVERSE)).isEqualTo(reversed);
                    assertThat(snapshot.get(expected)).hasSize(KEYS).doesNotContainNull();
                }
                regions = regions(inside).size();
                TimeUnit.MILLISECONDS.sleep(50);
            }
            assertThat(regions).isGreaterThanOrEqualTo(REGIONS_MIN);
            regionsMeet(storage, regions(inside), expected);
        }
    }

    /** The parts of the keys, one per region. */
    private List<KeyRange> regions(Inside inside) {
        List<KeyRange> regions = new ArrayList<>();
        Bytes start = all.start();
        while (start.compareTo(all.end()) < 0) {
            RegionLocation region = newest(inside.cluster.regions(), Wire.of(start));
            boolean last = !region.endsBefore(Wire.of(all.end()));
            Bytes end = last ? all.end() : Wire.of(region.end());
            regions.add(new KeyRange(start, end));
            start = end;
        }
        return regions;
    }

    /** The region from PD, not from the cache. */
    private static RegionLocation newest(RegionCache regions, ByteString key) {
        regions.forget(regions.at(key, Inside.backoff()));
        return regions.at(key, Inside.backoff());
    }

    private void regionsMeet(KvStorage storage, List<KeyRange> regions, List<Bytes> expected) {
        List<Bytes> found = new ArrayList<>();
        Bytes start = all.start();
        try (Snapshot snapshot = storage.snapshot()) {
            for (KeyRange region : regions) {
                assertThat(region.start()).isEqualTo(start);
                found.addAll(keys(snapshot, region, Direction.FORWARD));
                start = region.end();
            }
        }
        assertThat(start).isEqualTo(all.end());
        assertThat(found).isEqualTo(expected);
    }
}
