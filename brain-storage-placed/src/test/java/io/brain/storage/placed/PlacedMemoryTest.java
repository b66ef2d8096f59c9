package io.brain.storage.placed;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.util.Map;
import java.util.Set;

/** The contract of every storage; its keys are in the base and in two placed stores. */
class PlacedMemoryTest extends KvStorageContract implements SurvivesRestartContract {
    private MemoryStorage base;
    private MemoryStorage hot;
    private MemoryStorage cold;

    @Override
    protected KvStorage open() {
        boolean first = base == null;
        base = first ? Prefixes.base() : base.openAgain(Runnable::run);
        hot = first ? new MemoryStorage() : hot.openAgain(Runnable::run);
        cold = first ? new MemoryStorage() : cold.openAgain(Runnable::run);
        PlacedStorage storage = Prefixes.open(base, Map.of("hot", hot, "cold", cold));
        if (first) {
            place(storage);
        }
        return storage;
    }

    void place(PlacedStorage storage) {
        Prefixes.move(storage, "k", "hot");
        Prefixes.move(storage, "b", "cold");
        Prefixes.move(storage, "y", "cold");
        Prefixes.move(storage, "d", "hot");
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN);
    }
}
