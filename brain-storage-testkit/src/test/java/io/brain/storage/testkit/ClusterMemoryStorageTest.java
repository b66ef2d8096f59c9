package io.brain.storage.testkit;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** The contract with a cluster store's traits; commits run on threads, and the keys have parts. */
final class ClusterMemoryStorageTest extends KvStorageContract
        implements SurvivesRestartContract, SnapshotAtTimestampContract {
    private final ExecutorService threads = Executors.newFixedThreadPool(3);
    private MemoryStorage last;

    @Override
    protected KvStorage open() {
        MemoryStorage first = last == null ? new MemoryStorage(threads, traits()) : last;
        last = first.openAgainCutAt(threads, List.of(bytes("b"), bytes("c"), bytes("k5")));
        return last;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(
                StorageTrait.SURVIVES_RESTART,
                StorageTrait.SNAPSHOT_AT_TIMESTAMP,
                StorageTrait.PARTITIONED,
                StorageTrait.REMOTE);
    }

    @AfterEach
    void stopThreads() {
        last.checkNoOpenSnapshots();
        last.close();
        threads.shutdown();
    }
}
