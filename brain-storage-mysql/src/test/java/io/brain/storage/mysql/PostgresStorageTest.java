package io.brain.storage.mysql;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract of every storage, on a real PostgreSQL that all tests share: each has its tables.
 */
@Tag("peer")
final class PostgresStorageTest extends KvStorageContract
        implements SurvivesRestartContract, SqlContract {
    private static final AtomicInteger TESTS = new AtomicInteger();
    private static TestBed bed;

    private final String tables = "t" + TESTS.incrementAndGet() + "_";

    @BeforeAll
    static void startTestBed() {
        bed = TestBed.start(TestBed.Server.POSTGRES);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    @Override
    protected KvStorage open() {
        return bed.open(tables);
    }

    @Override
    public KvStorage open(String... options) {
        return bed.open(tables, options);
    }

    @Override
    public Pools pools(String... options) throws SQLException {
        return bed.pools(options);
    }

    @Override
    public String statementLimit() {
        return "SHOW statement_timeout";
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.REMOTE);
    }
}
