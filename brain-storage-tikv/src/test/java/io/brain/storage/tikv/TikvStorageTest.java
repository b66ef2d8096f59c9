package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.PrefixedStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.SnapshotAtTimestampContract;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every storage, on a real PD and a store of TiKV's protocol, which all tests
 * share: each has a keyspace of its own.
 */
@Tag("peer")
final class TikvStorageTest extends KvStorageContract
        implements SurvivesRestartContract, SnapshotAtTimestampContract {
    private static TestBed bed;

    private final Bytes keyspace = Bytes.utf8(UUID.randomUUID() + "/");

    @BeforeAll
    static void startTestBed(@TempDir Path directory) {
        bed = TestBed.start(directory);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    @Override
    protected KvStorage open() {
        return new PrefixedStorage(bed.open(), keyspace);
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(
                StorageTrait.SURVIVES_RESTART,
                StorageTrait.SNAPSHOT_AT_TIMESTAMP,
                StorageTrait.REMOTE);
    }
}
