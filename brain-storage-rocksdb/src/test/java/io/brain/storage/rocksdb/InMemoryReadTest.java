package io.brain.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.NotInMemory;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in memory is read without touching a file; the rest is refused. */
class InMemoryReadTest {
    private static final Bytes KEY = Bytes.utf8("key");

    @TempDir private Path directory;

    private RocksDbStorage open() {
        return Stores.open(directory);
    }

    @Test
    void aRecentWriteIsInMemory() {
        try (RocksDbStorage storage = open()) {
            Stores.put(storage, "key", "value");
            try (Snapshot snapshot = storage.snapshotInMemory()) {
                assertThat(snapshot.get(KEY)).isEqualTo(Bytes.utf8("value"));
            }
        }
    }

    @Test
    void whatIsOnlyInAFileIsReadOnceItWasReadInTheOrdinaryWay() {
        try (RocksDbStorage storage = Stores.openWritingTables(directory)) {
            Stores.put(storage, "key", "value");
        }
        try (RocksDbStorage storage = open()) {
            try (Snapshot snapshot = storage.snapshotInMemory()) {
                assertThatThrownBy(() -> snapshot.get(KEY)).isInstanceOf(NotInMemory.class);
            }
            try (Snapshot snapshot = storage.snapshot()) {
                assertThat(snapshot.get(KEY)).isEqualTo(Bytes.utf8("value"));
            }
            try (Snapshot snapshot = storage.snapshotInMemory()) {
                assertThat(snapshot.get(KEY)).isEqualTo(Bytes.utf8("value"));
            }
        }
    }

    @Test
    void itSeesWhatAnOrdinarySnapshotOfTheMomentSees() {
        try (RocksDbStorage storage = open();
                Snapshot before = storage.snapshotInMemory()) {
            Stores.put(storage, "key", "value");
            assertThat(before.get(KEY)).isNull();
        }
    }

    @Test
    void thereAreNoWalks() {
        try (RocksDbStorage storage = open();
                Snapshot snapshot = storage.snapshotInMemory()) {
            assertThatThrownBy(() -> snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD))
                    .isInstanceOf(NotInMemory.class);
        }
    }

    @Test
    void aClosedStorageIsNotWaitedFor() {
        RocksDbStorage storage = open();
        storage.close();
        assertThatThrownBy(storage::snapshotInMemory)
                .isInstanceOfAny(NotInMemory.class, StorageException.class);
    }
}
