package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException.Kind;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link KvStorageContract} for adapters with the trait {@link
 * io.brain.storage.StorageTrait#SNAPSHOT_AT_TIMESTAMP}.
 */
public interface SnapshotAtTimestampContract extends StoreUnderTest {
    @Test
    default void theStoreCanBeOpenedAsOfACommit() {
        long[] timestamps = new long[5];
        for (int i = 0; i < 5; i++) {
            timestamps[i] =
                    commit(batch().put(bytes("k"), bytes("v" + i)).put(bytes("o" + i), bytes("x")));
        }
        for (int i = 0; i < 5; i++) {
            try (Snapshot snapshot = store().snapshotAt(timestamps[i])) {
                assertThat(snapshot.get(bytes("k"))).isEqualTo(bytes("v" + i));
                assertThat(keys(snapshot, KeyRange.prefix(bytes("o")), FORWARD)).hasSize(i + 1);
            }
        }
    }

    @Test
    default void theStoreCanBeOpenedAsOfTheClock() {
        put("k", "old");
        long timestamp = store().timestamp();
        try (Snapshot opened = store().snapshotAt(timestamp)) {
            put("k", "new");
            Bytes old = bytes("old");
            assertThat(opened.get(bytes("k"))).isEqualTo(old);
            try (Snapshot openedLater = store().snapshotAt(timestamp)) {
                assertThat(openedLater.get(bytes("k"))).isEqualTo(old);
            }
        }
    }

    @Test
    default void aClosedStoreRefusesToOpenATimestamp() {
        long timestamp = put("k", "1");
        store().close();

        assertThat(refusal(() -> store().snapshotAt(timestamp))).isEqualTo(Kind.CLOSED);
    }
}
