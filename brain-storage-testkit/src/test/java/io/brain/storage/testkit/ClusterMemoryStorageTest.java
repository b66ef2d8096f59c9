package io.brain.storage.testkit;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** The contract with the traits of a shared engine; commits run on threads. */
final class ClusterMemoryStorageTest extends KvStorageContract
        implements SurvivesRestartContract, SnapshotAtTimestampContract {
    private final ExecutorService threads = Executors.newFixedThreadPool(3);
    private MemoryStorage last;

    @Override
    protected KvStorage open() {
        last = last == null ? new MemoryStorage(threads, traits()) : last.openAgain(threads);
        return last;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(
                StorageTrait.SURVIVES_RESTART,
                StorageTrait.SNAPSHOT_AT_TIMESTAMP,
                StorageTrait.REMOTE);
    }

    @AfterEach
    void stopThreads() {
        last.checkNoOpenSnapshots();
        last.close();
        threads.shutdown();
    }
}
