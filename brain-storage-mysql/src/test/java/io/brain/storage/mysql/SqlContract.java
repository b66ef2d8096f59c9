package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a database adds to the contract of every storage. */
interface SqlContract {
    /** A store of the test's own, opened with these options. */
    KvStorage open(String... options);

    /** Connections, with the storage's options. */
    Pools pools(String... options) throws SQLException;

    /** A query for the time limit of a connection's statements. */
    String statementLimit();

    @Test
    default void theLimitOfStatementsOutlivesTransactions() throws Exception {
        try (Pools pools = pools("statement-timeout-ms", "1000")) {
            try (Connection reader = pools.reader();
                    Connection writer = pools.writer();
                    Connection clock = pools.clock()) {
                for (Connection connection : List.of(reader, writer, clock)) {
                    connection.rollback();
                    try (Statement statement = connection.createStatement();
                            ResultSet rows = statement.executeQuery(statementLimit())) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString(1)).startsWith("1");
                    }
                }
            }
        }
    }

    @Test
    default void keysOfTheLargestSizeAreStoredAndLongerOnesRefused() throws Exception {
        try (KvStorage storage = open()) {
            byte[] random = new byte[storage.keyBytesMax()];
            new Random(1).nextBytes(random);
            Bytes value = Bytes.utf8("v");
            Bytes longest = Bytes.wrap(random);
            Bytes longer = Bytes.wrap(Arrays.copyOf(random, random.length + 1));
            assertThat(await(storage.commit(WriteBatch.builder().put(longest, value).build())))
                    .isInstanceOf(CommitResult.Committed.class);
            assertThat(await(storage.commit(WriteBatch.builder().put(longer, value).build())))
                    .isInstanceOfSatisfying(
                            CommitResult.Unavailable.class,
                            refused ->
                                    assertThat(refused.cause())
                                            .hasMessageContaining("limit of " + random.length)
                                            .extracting(StorageException::kind)
                                            .isEqualTo(StorageException.Kind.TOO_LARGE));
            try (Snapshot snapshot = storage.snapshot()) {
                assertThat(snapshot.get(longest)).isEqualTo(value);
                assertThat(snapshot.get(longer)).isNull();
            }
        }
    }

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
