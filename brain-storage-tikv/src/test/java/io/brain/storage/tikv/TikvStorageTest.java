package io.brain.storage.tikv;

import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.KvStorageContract;
import io.brain.storage.testkit.SnapshotAtTimestampContract;
import io.brain.storage.testkit.SurvivesRestartContract;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every storage, on a real PD and a store of TiKV's protocol. */
@Tag("peer")
final class TikvStorageTest extends KvStorageContract
        implements SurvivesRestartContract, SnapshotAtTimestampContract {
    private static TestBed bed;

    private boolean opened;

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
        KvStorage storage = bed.open();
        if (!opened) {
            opened = true;
            clear(storage);
        }
        return storage;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(
                StorageTrait.SURVIVES_RESTART,
                StorageTrait.SNAPSHOT_AT_TIMESTAMP,
                StorageTrait.PARTITIONED,
                StorageTrait.REMOTE);
    }

    /** All tests share one cluster: what the one before left goes. */
    private void clear(KvStorage storage) {
        WriteBatch.Builder batch = WriteBatch.builder();
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                batch.delete(cursor.key());
            }
        }
        if (batch.size() > 0) {
            await(storage.commit(batch.build()));
        }
    }
}
