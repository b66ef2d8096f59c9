package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static io.brain.storage.Cursor.Direction.REVERSE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Scans of ranges in both directions. */
interface CursorContract extends StoreUnderTest {
    @Test
    default void anEmptyStoreHasNoPairs() {
        assertThat(keys(KeyRange.ALL, FORWARD)).isEmpty();
        assertThat(keys(KeyRange.ALL, REVERSE)).isEmpty();
    }

    @Test
    default void keysAreMetInTheOrderOfUnsignedBytes() {
        List<String> ordered =
                List.of(
                        "\0", "\0\0", "\0ÿ", "\1", "a", "a\0", "a\0\0", "aa", "ab", "b", "\u0080",
                        "ÿ", "ÿ\0", "ÿÿ");
        List<String> shuffled = new ArrayList<>(ordered);
        Collections.shuffle(shuffled, new Random(3));
        putAll(shuffled.toArray(new String[0]));

        assertThat(keys(KeyRange.ALL, FORWARD)).isEqualTo(ordered);
        List<String> reversed = new ArrayList<>(ordered);
        Collections.reverse(reversed);
        assertThat(keys(KeyRange.ALL, REVERSE)).isEqualTo(reversed);
    }

    @Test
    default void aRangeHasItsStartAndLacksItsEnd() {
        putAll("a", "b", "c", "d", "e");

        assertThat(keys(range("b", "d"), FORWARD)).containsExactly("b", "c");
        assertThat(keys(range("b", "d"), REVERSE)).containsExactly("c", "b");
    }

    @Test
    default void theBoundsOfARangeNeedNotBeKeys() {
        putAll("b", "d", "f");

        assertThat(keys(range("a", "e"), FORWARD)).containsExactly("b", "d");
        assertThat(keys(range("a", "e"), REVERSE)).containsExactly("d", "b");
        assertThat(keys(range("bb", "c"), FORWARD)).isEmpty();
        assertThat(keys(range("bb", "c"), REVERSE)).isEmpty();
    }

    @Test
    default void aRangeWithoutEndGoesToTheLastKey() {
        putAll("a", "b", "ÿÿÿÿ");
        KeyRange range = new KeyRange(bytes("b"), null);

        assertThat(keys(range, FORWARD)).containsExactly("b", "ÿÿÿÿ");
        assertThat(keys(range, REVERSE)).containsExactly("ÿÿÿÿ", "b");
    }

    @Test
    default void aPrefixHasExactlyItsKeys() {
        putAll("a", "ab", "ab\0", "abÿ", "ac", "ÿ", "ÿÿ");

        assertThat(keys(KeyRange.prefix(bytes("ab")), FORWARD))
                .containsExactly("ab", "ab\0", "abÿ");
        assertThat(keys(KeyRange.prefix(bytes("ÿ")), REVERSE)).containsExactly("ÿÿ", "ÿ");
    }

    @Test
    default void anInvertedRangeIsEmpty() {
        putAll("a", "b", "c");

        for (Cursor.Direction direction : Cursor.Direction.values()) {
            assertThat(keys(range("b", "b"), direction)).isEmpty();
            assertThat(keys(range("c", "a"), direction)).isEmpty();
            assertThat(keys(new KeyRange(bytes("a"), Bytes.EMPTY), direction)).isEmpty();
        }
    }

    @Test
    default void deletedKeysAreNotMet() {
        putAll("a", "b", "c", "d");
        commit(batch().delete(bytes("a")).delete(bytes("c")));

        assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("b", "d");
        assertThat(keys(KeyRange.ALL, REVERSE)).containsExactly("d", "b");
    }

    @Test
    default void anOverwrittenKeyIsMetOnceWithItsNewestValue() {
        putAll("a", "b", "c");
        put("b", "2");
        put("b", "3");

        for (Cursor.Direction direction : Cursor.Direction.values()) {
            try (Snapshot snapshot = store().snapshot();
                    Cursor cursor = snapshot.cursor(range("b", "c"), direction)) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.value()).isEqualTo(bytes("3"));
                assertThat(cursor.next()).isFalse();
            }
        }
    }

    @Test
    default void theEndIsForGood() {
        putAll("a", "b");

        for (Cursor.Direction direction : Cursor.Direction.values()) {
            try (Snapshot snapshot = store().snapshot();
                    Cursor cursor = snapshot.cursor(KeyRange.ALL, direction)) {
                assertThat(step(cursor, 2)).isTrue();
                for (int i = 0; i < 3; i++) {
                    assertThat(cursor.next()).isFalse();
                }
            }
        }
    }

    @Test
    default void aCursorThatIsNotOnAPairHasNoKeyAndNoValue() {
        putAll("a");

        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isFalse();
            assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    default void keysAndValuesOutliveTheMove() {
        List<Bytes> keys = new ArrayList<>();
        List<Bytes> values = new ArrayList<>();
        putAll("a", "bb", "c");

        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            while (cursor.next()) {
                keys.add(cursor.key());
                values.add(cursor.value());
            }
        }

        assertThat(keys).containsExactly(bytes("a"), bytes("bb"), bytes("c"));
        assertThat(values).containsExactly(bytes("of a"), bytes("of bb"), bytes("of c"));
    }

    @Test
    default void keyAndValueCanBeAskedForAgainAndInAnyOrder() {
        putAll("a", "b");

        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            while (cursor.next()) {
                assertThat(cursor.valueLength()).isEqualTo(4);
                assertThat(cursor.value()).isEqualTo(bytes("of ").concat(cursor.key()));
                assertThat(cursor.value()).isEqualTo(bytes("of ").concat(cursor.key()));
                assertThat(cursor.valueLength()).isEqualTo(4);
            }
        }
    }

    @Test
    default void valueIsCopiedUpToTheEndOfTheArray() {
        putAll("a", "bb");

        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            byte[] target = bytes("........").array();
            cursor.next();
            assertThat(cursor.copyValue(target, 3)).isEqualTo(4);
            assertThat(Bytes.wrap(target)).isEqualTo(bytes("...of a."));
            cursor.next();
            assertThat(cursor.copyValue(target, 7)).isEqualTo(5);
            assertThat(Bytes.wrap(target)).isEqualTo(bytes("...of ao"));
            assertThat(cursor.copyValue(target, 8)).isEqualTo(5);
            assertThat(Bytes.wrap(target)).isEqualTo(bytes("...of ao"));
            assertThat(cursor.copyValue(target, 0)).isEqualTo(5);
            assertThat(Bytes.wrap(target)).isEqualTo(bytes("of bb ao"));
        }
    }

    @Test
    default void valuesOfAnySizeAreMet() {
        int[] sizes = {1, 255, 4096, 70_000, 1, 300_000, 17};
        var batch = batch();
        for (int i = 0; i < sizes.length; i++) {
            batch.put(bytes("k" + i), Bytes.wrap(filled(sizes[i], i)));
        }
        commit(batch);

        try (Snapshot snapshot = store().snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD)) {
            for (int i = 0; i < sizes.length; i++) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.valueLength()).isEqualTo(sizes[i]);
                assertThat(cursor.value().equals(Bytes.wrap(filled(sizes[i], i)))).isTrue();
            }
        }
    }

    @Test
    default void aLongWalkMeetsEveryPair() {
        List<String> keys = new ArrayList<>();
        var batch = batch();
        for (int i = 0; i < 5000; i++) {
            String key = String.format(Locale.ROOT, "%06d", i);
            keys.add(key);
            batch.put(bytes(key), bytes("value of " + key));
        }
        commit(batch);

        assertThat(keys(KeyRange.ALL, FORWARD)).isEqualTo(keys);
        Collections.reverse(keys);
        assertThat(keys(KeyRange.ALL, REVERSE)).isEqualTo(keys);
    }

    @Test
    default void cursorsOfOneSnapshotWalkOnTheirOwn() {
        putAll("a", "b", "c");

        try (Snapshot snapshot = store().snapshot();
                Cursor up = snapshot.cursor(KeyRange.ALL, FORWARD);
                Cursor down = snapshot.cursor(KeyRange.ALL, REVERSE)) {
            assertThat(up.next() && down.next()).isTrue();
            assertThat(up.key()).isEqualTo(bytes("a"));
            assertThat(down.key()).isEqualTo(bytes("c"));
            assertThat(step(up, 2) && down.next()).isTrue();
            assertThat(up.key()).isEqualTo(bytes("c"));
            assertThat(down.key()).isEqualTo(bytes("b"));
        }
    }

    @Test
    default void aClosedCursorRefusesToMove() {
        putAll("a", "b");

        try (Snapshot snapshot = store().snapshot()) {
            Cursor cursor = snapshot.cursor(KeyRange.ALL, FORWARD);
            assertThat(cursor.next()).isTrue();
            cursor.close();
            cursor.close();

            assertThat(refusal(cursor::next)).isEqualTo(StorageException.Kind.CLOSED);
            assertThat(refusal(() -> cursor.seek(bytes("a"))))
                    .isEqualTo(StorageException.Kind.CLOSED);
            assertThat(snapshot.get(bytes("b"))).isEqualTo(bytes("of b"));
        }
    }

    private static byte[] filled(int size, int with) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) (with + 1));
        return bytes;
    }
}
