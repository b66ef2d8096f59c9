package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a database adds to the contract of every storage. */
interface SqlContract {
    /** A store of the test's own, opened with these options. */
    KvStorage open(String... options);

    @Test
    default void whatSettlesACommitMovesTheClockForGood() throws Exception {
        WriteBatch batch =
                WriteBatch.builder().putIfAbsent(Bytes.utf8("k"), Bytes.utf8("v")).build();
        try (KvStorage storage = open()) {
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
            long committed = storage.timestamp();
            assertThat(await(storage.resolve(batch))).isInstanceOf(CommitResult.Committed.class);
            long resolved = storage.timestamp();
            assertThat(resolved).isGreaterThan(committed);
            await(storage.fenceOff(Bytes.utf8("k")));
            assertThat(storage.timestamp()).isGreaterThan(resolved);
        }
    }

    @Test
    default void theClockDoesNotWaitForSnapshots() {
        try (KvStorage storage = open("read-connections", "4", "statement-timeout-ms", "2000")) {
            List<Snapshot> open = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                open.add(storage.snapshot());
            }
            assertThat(storage.timestamp()).isPositive();
            open.forEach(Snapshot::close);
        }
    }

    @Test
    default void pagesOfLargeValuesAreReadInOrder() throws Exception {
        int count = 40;
        Bytes large = Bytes.wrap(new byte[300 << 10]);
        try (KvStorage storage = open()) {
            for (int i = 0; i < count; i++) {
                Bytes value = i % 10 == 0 ? Bytes.utf8("small") : large;
                WriteBatch batch = WriteBatch.builder().put(key(i), value).build();
                assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
            }
            for (Cursor.Direction direction : Cursor.Direction.values()) {
                try (Snapshot snapshot = storage.snapshot();
                        Cursor cursor = snapshot.cursor(KeyRange.ALL, direction)) {
                    boolean reverse = direction == Cursor.Direction.REVERSE;
                    for (int i = 0; i < count; i++) {
                        assertThat(cursor.next()).isTrue();
                        assertThat(cursor.key()).isEqualTo(key(reverse ? count - 1 - i : i));
                    }
                    assertThat(cursor.next()).isFalse();
                }
            }
        }
    }

    private static Bytes key(int number) {
        return Bytes.utf8("large %02d".formatted(number));
    }

    private static <T> T await(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(1, TimeUnit.MINUTES);
    }
}
