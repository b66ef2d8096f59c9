package io.brain.storage.rocksdb;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every storage, on RocksDB. */
final class RocksDbStorageTest extends KvStorageContract implements SurvivesRestartContract {
    @TempDir Path directory;

    @Override
    protected KvStorage open() {
        return new RocksDbStorageFactory()
                .open(Map.of("data-dir", directory.toString(), "ballast-size", "0"));
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN);
    }
}
