package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static io.brain.storage.Cursor.Direction.REVERSE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Visibility of commits in snapshots. */
interface SnapshotContract extends StoreUnderTest {
    @Test
    default void aSnapshotSeesEveryCommitAnsweredBefore() {
        for (int i = 0; i < 200; i++) {
            put("k", "v" + i);
            assertThat(get("k")).isEqualTo("v" + i);
        }
    }

    @Test
    default void aSnapshotDoesNotSeeLaterCommits() {
        putAll("a", "b", "c");

        try (Snapshot snapshot = store().snapshot()) {
            commit(
                    batch().put(bytes("a"), bytes("changed"))
                            .delete(bytes("b"))
                            .put(bytes("d"), bytes("new")));

            assertThat(snapshot.get(bytes("a"))).isEqualTo(bytes("of a"));
            assertThat(snapshot.get(List.of(bytes("b"), bytes("d"))))
                    .isEqualTo(Arrays.asList(bytes("of b"), null));
            assertThat(keys(snapshot, KeyRange.ALL, FORWARD)).containsExactly("a", "b", "c");
            assertThat(keys(snapshot, KeyRange.ALL, REVERSE)).containsExactly("c", "b", "a");
        }
        assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "c", "d");
    }

    @Test
    default void anOpenCursorDoesNotSeeLaterCommits() {
        putAll("a", "c", "e");

        try (Snapshot snapshot = store().snapshot();
                Cursor up = snapshot.cursor(KeyRange.ALL, FORWARD);
                Cursor down = snapshot.cursor(KeyRange.ALL, REVERSE)) {
            assertThat(up.next() && down.next()).isTrue();
            commit(
                    batch().put(bytes("b"), bytes("new"))
                            .put(bytes("c"), bytes("changed"))
                            .put(bytes("d"), bytes("new"))
                            .delete(bytes("e")));

            assertThat(up.next() && down.next()).isTrue();
            assertThat(up.value()).isEqualTo(bytes("of c"));
            assertThat(down.value()).isEqualTo(bytes("of c"));
            assertThat(up.seek(bytes("d"))).isTrue();
            assertThat(up.key()).isEqualTo(bytes("e"));
            assertThat(down.next()).isTrue();
            assertThat(down.key()).isEqualTo(bytes("a"));
        }
    }

    @Test
    default void everySnapshotSeesItsOwnMoment() {
        List<Snapshot> snapshots = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                put("k", "v" + i);
                put("only " + i, "x");
                snapshots.add(store().snapshot());
            }
            for (int i = 19; i >= 0; i--) {
                Snapshot snapshot = snapshots.get(i);
                assertThat(snapshot.get(bytes("k"))).isEqualTo(bytes("v" + i));
                assertThat(keys(snapshot, KeyRange.prefix(bytes("only")), FORWARD)).hasSize(i + 1);
                snapshot.close();
            }
        } finally {
            snapshots.forEach(Snapshot::close);
        }
    }

    @Test
    default void snapshotsOfOneMomentEndOnTheirOwn() {
        put("k", "old");
        Snapshot first = store().snapshot();
        Snapshot second = store().snapshot();
        first.close();
        put("k", "new");
        try (second) {
            assertThat(second.get(bytes("k"))).isEqualTo(bytes("old"));
        }
        assertThat(get("k")).isEqualTo("new");
    }

    @Test
    default void aSnapshotKeepsADeletedAndRecreatedKeyApart() {
        put("k", "first");
        try (Snapshot before = store().snapshot()) {
            commit(batch().delete(bytes("k")));
            try (Snapshot between = store().snapshot()) {
                put("k", "second");
                assertThat(before.get(bytes("k"))).isEqualTo(bytes("first"));
                assertThat(between.get(bytes("k"))).isNull();
                assertThat(keys(between, KeyRange.ALL, FORWARD)).isEmpty();
            }
        }
        assertThat(get("k")).isEqualTo("second");
    }

    @Test
    default void aKeyWithManyVersionsIsMetOnceInAnOldSnapshot() {
        put("hot", "0");
        try (Snapshot snapshot = store().snapshot()) {
            for (int i = 1; i <= 300; i++) {
                commit(batch().put(bytes("hot"), bytes("" + i)));
            }
            assertThat(keys(snapshot, KeyRange.ALL, FORWARD)).containsExactly("hot");
            assertThat(snapshot.get(bytes("hot"))).isEqualTo(bytes("0"));
        }
        assertThat(get("hot")).isEqualTo("300");
    }

    @Test
    default void aTimestampIsOpenedWithItsTraitOnly() {
        long timestamp = put("k", "v");

        if (traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP)) {
            try (Snapshot snapshot = store().snapshotAt(timestamp)) {
                assertThat(snapshot.get(bytes("k"))).isEqualTo(bytes("v"));
            }
        } else {
            assertThatThrownBy(() -> store().snapshotAt(timestamp))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }
}
