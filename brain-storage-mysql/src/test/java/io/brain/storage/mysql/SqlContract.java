package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Checks the contract of every storage and what a database adds. */
abstract class SqlContract extends SqlUnderTest implements SurvivesRestartContract {
    SqlContract(KvStorageFactory factory, Dialect dialect, Queries queries) {
        super(factory, dialect, queries);
    }

    @Override
    public final Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.REMOTE);
    }

    @Test
    void theLimitOfStatementsOutlivesTransactions() throws Exception {
        try (Pools pools = pools(Map.of("statement-timeout-ms", "1000"))) {
            try (Session reader = pools.reader();
                    Session writer = pools.writer();
                    Session clock = pools.clock()) {
                for (Session session : List.of(reader, writer, clock)) {
                    session.run(
                            connection -> {
                                connection.rollback();
                                return null;
                            });
                    assertThat(ask(session, queries.limit())).startsWith("1");
                }
                assertThat(ask(reader, queries.idle())).isIn("3600", "1h");
                assertThat(ask(writer, queries.idle())).isEqualTo(queries.idleOfWriters());
            }
        }
    }

    @Test
    void anotherDefaultDoesNotChangeTheIsolation() throws Exception {
        List<Session> open = new ArrayList<>();
        try (Pools pools = pools(Map.of("write-connections", "9"))) {
            pools.reader().close();
            pools.writer().close();
            administer(queries.defaultIsolation().formatted("SERIALIZABLE"));
            for (int i = 0; i < 9; i++) {
                open.add(pools.reader());
                assertThat(ask(open.get(2 * i), queries.isolation()))
                        .matches("(?i)repeatable.read");
                open.add(pools.writer());
                assertThat(ask(open.get(2 * i + 1), queries.isolation()))
                        .matches("(?i)read.committed");
            }
            open.forEach(Session::close);
        } finally {
            administer(queries.defaultIsolation().formatted(queries.usualIsolation()));
        }
    }

    @Test
    void noSessionIsUsedAgainAfterAFailureInTheDriver() throws Exception {
        try (Pools pools = pools(Map.of())) {
            Set<String> before = new HashSet<>();
            try (Session first = pools.clock();
                    Session second = pools.clock()) {
                before.add(ask(first, queries.session()));
                before.add(ask(second, queries.session()));
                assertThatThrownBy(() -> first.run(connection -> List.of().get(1)))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
            try (Session first = pools.clock();
                    Session second = pools.clock()) {
                assertThat(before)
                        .hasSize(2)
                        .doesNotContain(
                                ask(first, queries.session()), ask(second, queries.session()));
            }
        }
    }

    @Test
    void aServerThatIsBehindIsNotUsed() throws Exception {
        WriteBatch batch =
                WriteBatch.builder().putIfAbsent(Bytes.utf8("k"), Bytes.utf8("v")).build();
        try (KvStorage storage = open();
                Snapshot old = storage.snapshot()) {
            await(storage.commit(WriteBatch.builder().put(key(1), key(1)).build()));
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
            long time = storage.timestamp();
            setClock(time - 1); // as on a replica that lacks the last commit
            assertThatThrownBy(() -> storage.snapshot().close())
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            behind ->
                                    assertThat(behind.kind())
                                            .isEqualTo(StorageException.Kind.UNAVAILABLE))
                    .hasMessageContaining("is behind");
            assertThatThrownBy(storage::timestamp).hasMessageContaining("is behind");
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Unavailable.class);
            assertThat(await(storage.resolve(batch))).isInstanceOf(CommitResult.Uncertain.class);
            assertThat(old.get(Bytes.utf8("k"))).isNull();
            setClock(time);
            assertThat(storage.timestamp()).isEqualTo(time);
            try (Snapshot snapshot = storage.snapshot()) {
                assertThat(snapshot.get(Bytes.utf8("k"))).isEqualTo(Bytes.utf8("v"));
            }
            assertThat(await(storage.resolve(batch))).isInstanceOf(CommitResult.Committed.class);
        }
    }

    private void setClock(long time) throws SQLException {
        administer("UPDATE " + tables + "clock SET now = " + time);
    }

    @Test
    void aReplicaIsRefused() throws Exception {
        try (KvStorage storage = open()) {
            administer(queries.readOnly());
            try {
                assertThatThrownBy(() -> open().close()).isInstanceOf(StorageException.class);
            } finally {
                administer(queries.readWrite());
            }
            WriteBatch batch = WriteBatch.builder().put(key(1), key(1)).build();
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
        }
    }

    @Test
    void aNewConnectionToAnUnsafeServerIsRefused() throws Exception {
        open().close();
        WriteBatch batch = WriteBatch.builder().put(key(1), key(1)).build();
        Map<String, String> few = Map.of("write-connections", "2", "statement-timeout-ms", "1000");
        try (Pools pools = pools(few);
                Connection administrator = administrator()) {
            SqlCommitter committer =
                    new SqlCommitter(
                            pools::writer,
                            new DatabaseClock(dialect, tables + "clock"),
                            new KvTable(tables + "kv", dialect.orReplace(), 1 << 20));
            String safe = ask(administrator, queries.durability());
            try (Session first = pools.writer();
                    Session second = pools.writer()) {
                administer(queries.unsafe());
                awaitDurability(administrator, answer -> !answer.equals(safe));
                for (Session session : List.of(first, second)) {
                    assertThatThrownBy(() -> session.run(connection -> List.of().get(1)))
                            .isInstanceOf(IndexOutOfBoundsException.class);
                }
            }
            assertThat(committer.commit(batch))
                    .isInstanceOfSatisfying(
                            CommitResult.Unavailable.class,
                            refused ->
                                    assertThat(refused.cause())
                                            .hasMessageContaining("may lose acknowledged commits")
                                            .extracting(StorageException::kind)
                                            .isEqualTo(StorageException.Kind.UNAVAILABLE));
            administer(queries.safe());
            awaitDurability(administrator, safe::equals);
            assertThat(committer.commit(batch)).isInstanceOf(CommitResult.Committed.class);
        } finally {
            administer(queries.safe());
        }
    }

    /** PostgreSQL changes a setting some time after the statement. */
    private void awaitDurability(Connection administrator, Predicate<String> wanted)
            throws Exception {
        while (!wanted.test(ask(administrator, queries.durability()))) {
            Thread.sleep(10);
        }
    }

    @Test
    void keysWithoutAClockAreRefused() throws Exception {
        try (KvStorage storage = open()) {
            WriteBatch batch = WriteBatch.builder().put(key(1), key(1)).build();
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
        }
        administer("DROP TABLE " + tables + "clock");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> open().close())
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            refused -> assertThat(refused.kind().isLasting()).isTrue())
                    .hasMessageContaining("the clock's row is missing");
        }
    }

    @Test
    void anotherTableOfKeysIsRefused() throws Exception {
        String kv = tables + "kv";
        for (String change :
                List.of(
                        "ALTER TABLE %s DROP COLUMN v".formatted(kv),
                        "ALTER TABLE %s ADD COLUMN v varchar(10)".formatted(kv),
                        "DROP TABLE " + kv)) {
            administer(change);
            assertThatThrownBy(() -> open().close())
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            refused ->
                                    assertThat(refused.kind())
                                            .isEqualTo(StorageException.Kind.REFUSED))
                    .hasMessageContaining("table " + kv + " has [")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void keysOfTheLargestSizeAreStoredAndLongerOnesRefused() throws Exception {
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
    void whatSettlesACommitMovesTheClockForGood() throws Exception {
        WriteBatch batch =
                WriteBatch.builder().putIfAbsent(Bytes.utf8("k"), Bytes.utf8("v")).build();
        try (KvStorage storage = open()) {
            assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
            long committed = storage.timestamp();
            assertThat(await(storage.resolve(batch))).isInstanceOf(CommitResult.Committed.class);
            long resolved = storage.timestamp();
            assertThat(resolved).isGreaterThan(committed);
            storage.fenceOff(List.of(Bytes.utf8("k")))
                    .toCompletableFuture()
                    .get(1, TimeUnit.MINUTES);
            assertThat(storage.timestamp()).isGreaterThan(resolved);
        }
    }

    @Test
    void theClockDoesNotWaitForSnapshots() {
        int readers = SqlSettings.READERS_MIN;
        Map<String, String> few =
                Map.of("read-connections", "" + readers, "statement-timeout-ms", "2000");
        try (KvStorage storage = open(few)) {
            List<Snapshot> open = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                open.add(storage.snapshot());
            }
            assertThat(storage.timestamp()).isPositive();
            open.forEach(Snapshot::close);
        }
    }

    @Test
    void pagesOfLargeValuesAreReadInOrder() throws Exception {
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
}
