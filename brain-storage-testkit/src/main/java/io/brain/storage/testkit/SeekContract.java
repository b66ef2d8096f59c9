package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static io.brain.storage.Cursor.Direction.REVERSE;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import org.junit.jupiter.api.Test;

/** {@link Cursor#seek}, on the keys b, d and f. */
interface SeekContract extends StoreUnderTest {
    /** The key that {@code seek(key)} finds in {@code range}; null if it finds none. */
    private String found(KeyRange range, Cursor.Direction direction, String key) {
        putAll("b", "d", "f");
        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(range, direction)) {
            return cursor.seek(bytes(key)) ? text(cursor.key()) : null;
        }
    }

    @Test
    default void seekingForwardFindsTheKeyOrTheNext() {
        assertThat(found(KeyRange.ALL, FORWARD, "d")).isEqualTo("d");
        assertThat(found(KeyRange.ALL, FORWARD, "c")).isEqualTo("d");
        assertThat(found(KeyRange.ALL, FORWARD, "d\0")).isEqualTo("f");
        assertThat(found(KeyRange.ALL, FORWARD, "a")).isEqualTo("b");
        assertThat(found(KeyRange.ALL, FORWARD, "g")).isNull();
    }

    @Test
    default void seekingInReverseFindsTheKeyOrTheOneBefore() {
        assertThat(found(KeyRange.ALL, REVERSE, "d")).isEqualTo("d");
        assertThat(found(KeyRange.ALL, REVERSE, "e")).isEqualTo("d");
        assertThat(found(KeyRange.ALL, REVERSE, "cÿ")).isEqualTo("b");
        assertThat(found(KeyRange.ALL, REVERSE, "g")).isEqualTo("f");
        assertThat(found(KeyRange.ALL, REVERSE, "a")).isNull();
    }

    @Test
    default void seekingForwardStaysWithinTheRange() {
        KeyRange range = range("c", "f");

        assertThat(found(range, FORWARD, "a")).isEqualTo("d");
        assertThat(found(range, FORWARD, "c")).isEqualTo("d");
        assertThat(found(range, FORWARD, "e")).isNull();
        assertThat(found(range, FORWARD, "f")).isNull();
        assertThat(found(range, FORWARD, "z")).isNull();
    }

    @Test
    default void seekingInReverseStaysWithinTheRange() {
        KeyRange range = range("c", "f");

        assertThat(found(range, REVERSE, "z")).isEqualTo("d");
        assertThat(found(range, REVERSE, "f")).isEqualTo("d");
        assertThat(found(range, REVERSE, "c")).isNull();
        assertThat(found(range, REVERSE, "b")).isNull();
        assertThat(found(range, REVERSE, "a")).isNull();
    }

    @Test
    default void seekingInAnEmptyRangeFindsNothing() {
        for (Cursor.Direction direction : Cursor.Direction.values()) {
            assertThat(found(range("f", "b"), direction, "d")).isNull();
            assertThat(found(range("c", "d"), direction, "d")).isNull();
            assertThat(found(range("d", "d"), direction, "d")).isNull();
        }
    }

    @Test
    default void theWalkGoesOnFromWhereSeekLanded() {
        putAll("b", "d", "f", "h");

        try (Snapshot snapshot = store().snapshot();
                Cursor up = snapshot.cursor(range("b", "h"), FORWARD);
                Cursor down = snapshot.cursor(range("c", "z"), REVERSE)) {
            assertThat(up.seek(bytes("c"))).isTrue();
            assertThat(up.next()).isTrue();
            assertThat(up.key()).isEqualTo(bytes("f"));
            assertThat(up.next()).isFalse();
            assertThat(down.seek(bytes("g"))).isTrue();
            assertThat(down.next()).isTrue();
            assertThat(down.key()).isEqualTo(bytes("d"));
            assertThat(down.next()).isFalse();
        }
    }

    @Test
    default void seekMayGoBack() {
        putAll("b", "d", "f");

        try (Snapshot snapshot = store().snapshot();
                Cursor up = snapshot.cursor(KeyRange.ALL, FORWARD);
                Cursor down = snapshot.cursor(KeyRange.ALL, REVERSE)) {
            assertThat(up.seek(bytes("f"))).isTrue();
            assertThat(up.seek(bytes("a"))).isTrue();
            assertThat(up.key()).isEqualTo(bytes("b"));
            assertThat(down.seek(bytes("b"))).isTrue();
            assertThat(down.seek(bytes("z"))).isTrue();
            assertThat(down.key()).isEqualTo(bytes("f"));
        }
    }

    @Test
    default void seekMayGoToWhereTheCursorIs() {
        putAll("b", "d", "f");

        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            assertThat(cursor.seek(bytes("d"))).isTrue();
            assertThat(cursor.seek(bytes("d"))).isTrue();
            assertThat(cursor.key()).isEqualTo(bytes("d"));
            assertThat(cursor.value()).isEqualTo(bytes("of d"));
        }
    }

    @Test
    default void aFailedSeekIsAnEndThatAnotherSeekLeaves() {
        putAll("b", "d", "f");

        for (Cursor.Direction direction : Cursor.Direction.values()) {
            try (Snapshot snapshot = store().snapshot();
                    Cursor cursor = snapshot.cursor(range("b", "g"), direction)) {
                assertThat(cursor.seek(bytes(direction == FORWARD ? "g" : "a"))).isFalse();
                assertThat(cursor.next()).isFalse();
                assertThat(cursor.next()).isFalse();
                assertThat(cursor.seek(bytes("d"))).isTrue();
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.key()).isEqualTo(bytes(direction == FORWARD ? "f" : "b"));
            }
        }
    }

    @Test
    default void seekLeavesTheEndOfAWalk() {
        putAll("b", "d");

        for (Cursor.Direction direction : Cursor.Direction.values()) {
            try (Snapshot snapshot = store().snapshot();
                    Cursor cursor = snapshot.cursor(KeyRange.ALL, direction)) {
                assertThat(step(cursor, 2)).isTrue();
                assertThat(cursor.next()).isFalse();
                assertThat(cursor.seek(bytes("c"))).isTrue();
                assertThat(cursor.key()).isEqualTo(bytes(direction == FORWARD ? "d" : "b"));
            }
        }
    }

    @Test
    default void deletedKeysAreNotSought() {
        putAll("b", "d", "f");
        commit(batch().delete(bytes("d")));

        try (Snapshot snapshot = store().snapshot();
                Cursor up = snapshot.cursor(KeyRange.ALL, FORWARD);
                Cursor down = snapshot.cursor(KeyRange.ALL, REVERSE)) {
            assertThat(up.seek(bytes("d"))).isTrue();
            assertThat(up.key()).isEqualTo(bytes("f"));
            assertThat(down.seek(bytes("d"))).isTrue();
            assertThat(down.key()).isEqualTo(bytes("b"));
        }
    }
}
