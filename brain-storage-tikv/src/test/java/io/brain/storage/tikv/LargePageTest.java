package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.Cursor.Direction;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Large values behind small ones: a page of as many pairs is more than a store sends. */
@Tag("peer")
@Timeout(180)
final class LargePageTest {
    private static final int SMALL = 3000;

    /** Together more than the 64 MiB that the store sends at once. */
    private static final int LARGE = 40;

    private static final int LARGE_BYTES = 2 << 20;

    private static Bytes key(int i) {
        return Bytes.utf8(String.format(Locale.ROOT, "page/%06d", i));
    }

    @Test
    void aScanPassesThem(@TempDir Path directory) throws Exception {
        try (TestBed bed = TestBed.start(directory, 1 << 30);
                KvStorage storage = new TikvStorageFactory().open(bed.options())) {
            WriteBatch.Builder small = WriteBatch.builder();
            for (int i = 0; i < SMALL; i++) {
                small.put(key(i), Bytes.utf8("v"));
            }
            write(storage, small);
            for (int i = SMALL; i < SMALL + LARGE; i++) {
                write(storage, WriteBatch.builder().put(key(i), Bytes.wrap(new byte[LARGE_BYTES])));
            }
            for (Direction direction : Direction.values()) {
                assertThat(count(storage, direction)).isEqualTo(SMALL + LARGE);
            }
        }
    }

    private static void write(KvStorage storage, WriteBatch.Builder batch) throws Exception {
        CommitResult end =
                storage.commit(batch.build()).toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
    }

    private static int count(KvStorage storage, Direction direction) {
        int count = 0;
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.prefix(Bytes.utf8("page/")), direction)) {
            while (cursor.next()) {
                int number = direction == Direction.FORWARD ? count : SMALL + LARGE - 1 - count;
                assertThat(cursor.key()).isEqualTo(key(number));
                count++;
            }
        }
        return count;
    }
}
