package io.brain.storage.placed;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.rocksdb.RocksDbStorageFactory;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every storage, on two RocksDB stores. */
final class PlacedRocksDbTest extends KvStorageContract implements SurvivesRestartContract {
    @TempDir Path directory;
    private boolean placed;

    @Override
    protected KvStorage open() {
        PlacedStorage storage = Prefixes.open(rocksdb("base"), Map.of("hot", rocksdb("hot")));
        if (!placed) {
            placed = true;
            Prefixes.move(storage, "k", "hot");
            Prefixes.move(storage, "y", "hot");
        }
        return storage;
    }

    private KvStorage rocksdb(String name) {
        return new RocksDbStorageFactory()
                .open(Map.of("data-dir", directory.resolve(name).toString(), "ballast-size", "0"));
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN);
    }
}
