package io.brain.backend.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PackedKvsTest {
    private static final int[] SIZES = {
        0, 1, 127, 128, 511, 512, 2_000, 40_000, 16_383, 16_384, 65_530, 65_536, 3, 300_000,
        2_097_152, 5
    };

    @Test
    void appendedKeyValuesAreReadBack() {
        PackedKvs kvs = new PackedKvs();
        List<Bytes> expected = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            for (int size : SIZES) {
                Bytes kv = filled(size, round + size);
                expected.add(kv);
                assertThat(kvs.append(kv)).isEqualTo(size);
            }
        }
        assertThat(kvs.equals(expected)).isTrue();
        assertThat(visited(kvs).equals(expected)).isTrue();
    }

    @Test
    void valuesOfACursorAreAppendedWithoutTrailers() {
        List<Bytes> expected = new ArrayList<>();
        PackedKvs kvs = new PackedKvs();
        try (MemoryStorage storage = new MemoryStorage()) {
            for (int i = 0; i < 3 * SIZES.length; i++) {
                Bytes kv = filled(SIZES[i % SIZES.length], i);
                expected.add(kv);
                Bytes stored = kv.concat(Bytes.utf8("12345"));
                storage.commit(WriteBatch.builder().put(filled(i + 1, 1), stored).build())
                        .toCompletableFuture()
                        .join();
            }
            try (Snapshot snapshot = storage.snapshot();
                    Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
                while (cursor.next()) {
                    assertThat(kvs.append(cursor, 5)).isEqualTo(cursor.valueLength() - 5);
                }
                cursor.seek(filled(1, 1));
                assertThatThrownBy(() -> kvs.append(cursor, 6))
                        .isInstanceOf(StorageException.class);
            }
        }
        assertThat(kvs.equals(expected)).isTrue();
    }

    @Test
    void partsAreTheFieldsOfAResponse() {
        PackedKvs kvs = new PackedKvs();
        ByteWriter expected = new ByteWriter(16);
        for (int size : SIZES) {
            kvs.append(filled(size, size));
            expected.putByte(0x12).putSized(filled(size, size));
        }
        ByteWriter parts = new ByteWriter(16);
        kvs.forEachPart(parts::putRaw);
        assertThat(parts.finish().equals(expected.finish())).isTrue();
    }

    @Test
    void longKeyValuesInMemoryAreNotCopied() {
        PackedKvs kvs = new PackedKvs();
        Bytes copied = filled(100, 1);
        Bytes first = filled(2_000, 2);
        Bytes second = filled(70_000, 3);
        kvs.append(copied);
        kvs.append(first);
        kvs.append(copied.array(), 0, copied.length());
        kvs.append(second);
        List<byte[]> arrays = new ArrayList<>();
        PackedKvs.forEachKv(kvs, (array, from, length) -> arrays.add(array));
        assertThat(arrays.get(1)).isSameAs(first.array());
        assertThat(arrays.get(3)).isSameAs(second.array());
        assertThat(arrays.get(0)).isNotSameAs(copied.array()).isSameAs(arrays.get(2));
    }

    private static List<Bytes> visited(PackedKvs kvs) {
        List<Bytes> all = new ArrayList<>();
        PackedKvs.forEachKv(
                kvs, (array, from, length) -> all.add(Bytes.copyOf(array, from, length)));
        return all;
    }

    private static Bytes filled(int size, int with) {
        byte[] array = new byte[size];
        Arrays.fill(array, (byte) with);
        return Bytes.wrap(array);
    }
}
