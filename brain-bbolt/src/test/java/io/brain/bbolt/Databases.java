package io.brain.bbolt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Databases as maps: names of buckets, keys, values. */
final class Databases {
    private Databases() {}

    static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }

    /** A map in the order of bbolt. */
    static <V> SortedMap<byte[], V> sorted() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    /** Begins a bucket in a database. */
    static SortedMap<byte[], byte[]> bucket(
            SortedMap<byte[], SortedMap<byte[], byte[]>> database, String name) {
        SortedMap<byte[], byte[]> bucket = sorted();
        database.put(utf8(name), bucket);
        return bucket;
    }

    static void write(
            Path file,
            int pageSize,
            int fillPercent,
            SortedMap<byte[], SortedMap<byte[], byte[]>> database)
            throws IOException {
        try (BboltWriter writer = BboltWriter.create(file, pageSize, fillPercent)) {
            for (Map.Entry<byte[], SortedMap<byte[], byte[]>> bucket : database.entrySet()) {
                writer.bucket(bucket.getKey());
                for (Map.Entry<byte[], byte[]> entry : bucket.getValue().entrySet()) {
                    writer.put(entry.getKey(), entry.getValue());
                }
            }
            writer.finish();
        }
    }

    /** Fails unless the file has exactly these buckets, keys and values, in order. */
    static void verifyContent(Path file, SortedMap<byte[], SortedMap<byte[], byte[]>> database)
            throws IOException {
        try (BboltReader reader = BboltReader.open(file)) {
            BucketCursor names = reader.buckets();
            for (Map.Entry<byte[], SortedMap<byte[], byte[]>> bucket : database.entrySet()) {
                assertThat(names.next()).isTrue();
                assertThat(names.key()).isEqualTo(bucket.getKey());
                BucketCursor keys = reader.bucket(names.key()).orElseThrow();
                for (Map.Entry<byte[], byte[]> entry : bucket.getValue().entrySet()) {
                    if (!keys.next()
                            || !Arrays.equals(keys.key(), entry.getKey())
                            || !Arrays.equals(keys.value(), entry.getValue())) {
                        fail("not found: " + Arrays.toString(entry.getKey()));
                    }
                }
                assertThat(keys.next()).isFalse();
            }
            assertThat(names.next()).isFalse();
        }
    }
}
