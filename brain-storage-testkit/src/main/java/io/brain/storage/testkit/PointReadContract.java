package io.brain.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Values by key. */
interface PointReadContract extends StoreUnderTest {
    /** More than TiKV takes. */
    int LARGE_VALUE = 9 << 20;

    @Test
    default void absentKeyReadsAsNull() {
        put("a", "1");

        assertThat(get("b")).isNull();
        assertThat(get("a\0")).isNull();
    }

    @Test
    default void whatWasPutIsReadBack() {
        put("a", "1");

        assertThat(get("a")).isEqualTo("1");
    }

    @Test
    default void deletedKeyReadsAsNull() {
        put("a", "1");
        commit(batch().delete(bytes("a")));

        assertThat(get("a")).isNull();
    }

    @Test
    default void manyKeysAreAnsweredInTheOrderAsked() {
        putAll("a", "b", "c", "d");

        try (Snapshot snapshot = store().snapshot()) {
            List<Bytes> values =
                    snapshot.get(List.of(bytes("c"), bytes("x"), bytes("a"), bytes("c")));
            assertThat(values)
                    .isEqualTo(Arrays.asList(bytes("of c"), null, bytes("of a"), bytes("of c")));
        }
    }

    @Test
    default void noKeysHaveNoValues() {
        try (Snapshot snapshot = store().snapshot()) {
            assertThat(snapshot.get(List.of())).isEmpty();
        }
    }

    @Test
    default void aThousandKeysAreReadAtOnce() {
        List<Bytes> keys = new ArrayList<>();
        var batch = batch();
        for (int i = 0; i < 1000; i++) {
            keys.add(bytes("key " + i));
            batch.put(bytes("key " + i), bytes("value " + i));
        }
        commit(batch);

        try (Snapshot snapshot = store().snapshot()) {
            List<Bytes> values = snapshot.get(keys);
            assertThat(values).hasSize(1000);
            assertThat(values.get(0)).isEqualTo(bytes("value 0"));
            assertThat(values.get(999)).isEqualTo(bytes("value 999"));
        }
    }

    @Test
    default void anyByteMayBeInAKeyAndInAValue() {
        byte[] all = new byte[256];
        for (int i = 0; i < 256; i++) {
            all[i] = (byte) i;
        }
        List<Bytes> keys =
                List.of(Bytes.wrap(all), bytes("\0"), bytes("\0\0"), bytes("ÿ"), bytes("ÿÿ"));
        for (Bytes key : keys) {
            commit(batch().put(key, key));
        }

        try (Snapshot snapshot = store().snapshot()) {
            assertThat(snapshot.get(keys)).isEqualTo(keys);
        }
    }

    @Test
    default void aValueLargerThanABatchShouldBeIsReadBack() {
        long more = Math.max(store().batchBytesMax() + 1, LARGE_VALUE);
        byte[] value = new byte[Math.toIntExact(Math.min(more, store().valueBytesMax()))];
        new Random(7).nextBytes(value);
        commit(batch().put(bytes("large"), Bytes.wrap(value)));

        try (Snapshot snapshot = store().snapshot()) {
            assertThat(Arrays.equals(snapshot.get(bytes("large")).array(), value)).isTrue();
        }
    }

    @Test
    default void aLongKeyIsReadBack() {
        String key = "k".repeat(Math.min(4000, store().keyBytesMax()));
        put(key, "1");

        assertThat(get(key)).isEqualTo("1");
        assertThat(get(key + "k")).isNull();
    }

    @Test
    default void aClosedSnapshotRefusesReads() {
        Snapshot snapshot = store().snapshot();
        snapshot.close();

        assertThat(refusal(() -> snapshot.get(bytes("a")))).isEqualTo(StorageException.Kind.CLOSED);
        assertThat(refusal(() -> snapshot.get(List.of(bytes("a")))))
                .isEqualTo(StorageException.Kind.CLOSED);
        assertThat(refusal(() -> snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)))
                .isEqualTo(StorageException.Kind.CLOSED);
    }

    @Test
    default void closingASnapshotTwiceChangesNothing() {
        put("a", "1");
        Snapshot first = store().snapshot();
        try (Snapshot second = store().snapshot()) {
            first.close();
            first.close();

            assertThat(second.get(bytes("a"))).isEqualTo(bytes("1"));
        }
    }
}
