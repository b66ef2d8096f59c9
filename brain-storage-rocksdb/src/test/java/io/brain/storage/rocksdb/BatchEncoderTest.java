package io.brain.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;

final class BatchEncoderTest {
    private static final Bytes OLD = Bytes.utf8("old");

    @Test
    void theEncodingIsRocksDbsOwn() throws RocksDBException {
        NativeLibrary.load();
        List<Integer> lengths = List.of(1, 2, 127, 128, 129, 16383, 16384, 2097151, 2097152);
        Random random = new Random(1);
        WriteBatch.Builder batch = WriteBatch.builder();
        try (org.rocksdb.WriteBatch expected = new org.rocksdb.WriteBatch()) {
            for (int i = 0; i < lengths.size(); i++) {
                byte[] key = bytes(random, lengths.get(i));
                byte[] value = bytes(random, lengths.get(lengths.size() - 1 - i));
                switch (i % 3) {
                    case 0 -> batch.put(Bytes.wrap(key), Bytes.wrap(value));
                    case 1 -> batch.putIfAbsent(Bytes.wrap(key), Bytes.wrap(value));
                    default -> batch.compareAndSet(Bytes.wrap(key), OLD, Bytes.wrap(value));
                }
                byte[] deleted = bytes(random, lengths.get(i));
                batch.add(
                        i % 2 == 0
                                ? new Mutation.Delete(Bytes.wrap(deleted))
                                : new Mutation.DeleteIfCurrent(Bytes.wrap(deleted), OLD));
            }
            WriteBatch built = batch.build();
            List<Mutation> inOrder = new ArrayList<>(built.mutations());
            inOrder.sort(Comparator.comparing(Mutation::key));
            for (Mutation mutation : inOrder) {
                if (mutation.newValue() == null) {
                    expected.delete(mutation.key().array());
                } else {
                    expected.put(mutation.key().array(), mutation.newValue().array());
                }
            }

            assertThat(BatchEncoder.encode(built)).isEqualTo(expected.data());
        }
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
