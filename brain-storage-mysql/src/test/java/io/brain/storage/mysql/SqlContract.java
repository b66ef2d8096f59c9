package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.brain.storage.testkit.DatabaseServer;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Checks the contract of every storage and what a database adds, each test in its own tables. */
abstract class SqlContract extends KvStorageContract implements SurvivesRestartContract {
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final KvStorageFactory factory;
    private final Dialect dialect;
    private final String limitQuery;
    private final String tables = "t" + TESTS.incrementAndGet() + "_";

    /**
     * @param limitQuery asks for the time limit of a connection's statements
     */
    SqlContract(KvStorageFactory factory, Dialect dialect, String limitQuery) {
        this.factory = factory;
        this.dialect = dialect;
        this.limitQuery = limitQuery;
    }

    /** Returns the server that the tests of the class share. */
    abstract DatabaseServer bed();

    @Override
    protected final KvStorage open() {
        return open(Map.of());
    }

    private KvStorage open(Map<String, String> more) {
        return factory.open(options(more));
    }

    private Pools pools(Map<String, String> more) throws SQLException {
        SqlSettings settings = SqlSettings.parse(dialect, options(more), Map.of());
        Duration limit = settings.limit();
        try (Connection connection = Pools.connect(dialect, settings)) {
            String start = dialect.sessionStart(connection, limit, limit);
            return new Pools(dialect, settings, start, start);
        }
    }

    private Map<String, String> options(Map<String, String> more) {
        Map<String, String> options = new HashMap<>(more);
        options.put("database-url", bed().url("brain"));
        options.put("database-user", bed().user());
        options.put("database-password-file", bed().passwordFile().toString());
        options.put("table-prefix", tables);
        return options;
    }

    @Override
    public final Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.REMOTE);
    }

    @Test
    void theLimitOfStatementsOutlivesTransactions() throws Exception {
        try (Pools pools = pools(Map.of("statement-timeout-ms", "1000"))) {
            try (Connection reader = pools.reader();
                    Connection writer = pools.writer();
                    Connection clock = pools.clock()) {
                for (Connection connection : List.of(reader, writer, clock)) {
                    connection.rollback();
                    try (Statement statement = connection.createStatement();
                            ResultSet rows = statement.executeQuery(limitQuery)) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString(1)).startsWith("1");
                    }
                }
            }
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
            storage.fenceOff(Bytes.utf8("k")).toCompletableFuture().get(1, TimeUnit.MINUTES);
            assertThat(storage.timestamp()).isGreaterThan(resolved);
        }
    }

    @Test
    void theClockDoesNotWaitForSnapshots() {
        Map<String, String> few = Map.of("read-connections", "4", "statement-timeout-ms", "2000");
        try (KvStorage storage = open(few)) {
            List<Snapshot> open = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
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
