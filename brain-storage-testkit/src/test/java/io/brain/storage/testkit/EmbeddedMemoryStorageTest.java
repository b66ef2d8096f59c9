package io.brain.storage.testkit;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;

/** The contract with an embedded engine's traits. */
final class EmbeddedMemoryStorageTest extends KvStorageContract implements SurvivesRestartContract {
    private MemoryStorage last;

    @Override
    protected KvStorage open() {
        last =
                last == null
                        ? new MemoryStorage(Runnable::run, traits())
                        : last.openAgain(Runnable::run);
        return last;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN);
    }

    @AfterEach
    void nothingLeaks() {
        last.checkNoOpenSnapshots();
    }
}
