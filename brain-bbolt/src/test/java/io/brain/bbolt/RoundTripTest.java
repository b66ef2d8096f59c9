package io.brain.bbolt;

import static io.brain.bbolt.Databases.bucket;
import static io.brain.bbolt.Databases.sorted;
import static io.brain.bbolt.Databases.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read, in every form that bbolt allows. */
class RoundTripTest {
    private static final long SEED = Long.getLong("seed", 1);

    @TempDir Path directory;

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomDatabase(long seed) throws IOException {
        Random random = new Random(seed);
        int pageSize = 1024 << random.nextInt(7);
        int fillPercent = 10 + random.nextInt(91);
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        for (int i = random.nextInt(12); i > 0; i--) {
            database.put(randomKey(random), randomBucket(random));
        }
        verify(pageSize, fillPercent, database, random);
    }

    @ParameterizedTest
    @ValueSource(ints = {1024, 4096, 8192, 16384, 65536})
    void manyKeys(int pageSize) throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        SortedMap<byte[], byte[]> keys = bucket(database, "key");
        for (int i = 0; i < 100_000; i++) {
            byte[] revision = ByteBuffer.allocate(17).putLong(i).put((byte) '_').array();
            keys.put(revision, utf8("value of " + i));
        }
        bucket(database, "lease");
        verify(pageSize, 90, database, new Random(1));
    }

    @Test
    void manyBuckets() throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        for (int i = 0; i < 3000; i++) {
            bucket(database, "bucket " + i).put(utf8("key"), utf8("value " + i));
        }
        verify(4096, 90, database, new Random(1));
    }

    @Test
    void largeValues() throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        Random random = new Random(1);
        SortedMap<byte[], byte[]> bucket = bucket(database, "key");
        for (int size : List.of(0, 1, 4063, 4064, 4065, 1 << 20, (1 << 20) + 1, 5_000_000)) {
            byte[] value = new byte[size];
            random.nextBytes(value);
            bucket.put(utf8("large " + size), value);
            bucket.put(utf8("small " + size), utf8("small"));
        }
        verify(4096, 90, database, random);
    }

    /** Keys so long that three of them do not fit a page: branches need overflow pages. */
    @Test
    void longKeys() throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        SortedMap<byte[], byte[]> bucket = bucket(database, "key");
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            byte[] key = new byte[1 + random.nextInt(Format.KEY_BYTES_MAX)];
            random.nextBytes(key);
            bucket.put(key, utf8("value"));
        }
        verify(4096, 90, database, random);
    }

    @Test
    void noBuckets() throws IOException {
        verify(4096, 90, sorted(), new Random(1));
    }

    private void verify(
            int pageSize,
            int fillPercent,
            SortedMap<byte[], SortedMap<byte[], byte[]>> database,
            Random random)
            throws IOException {
        Path file = directory.resolve("database");
        Databases.write(file, pageSize, fillPercent, database);
        assertThat(Files.size(file) % pageSize).isZero();
        Databases.verifyContent(file, database);
        long keys = database.values().stream().mapToLong(Map::size).sum();
        try (BboltReader reader = BboltReader.open(file)) {
            assertThat(reader.pageSize()).isEqualTo(pageSize);
            assertThat(reader.length()).isEqualTo(Files.size(file));
            assertThat(reader.check()).isEqualTo(keys);
            assertThat(reader.bucket(utf8("no such bucket"))).isEmpty();
            for (Map.Entry<byte[], SortedMap<byte[], byte[]>> bucket : database.entrySet()) {
                seekInTurn(reader.bucket(bucket.getKey()).orElseThrow(), bucket.getValue(), random);
            }
        }
    }

    /** Seeks keys that exist and others; reads on from there. */
    private static void seekInTurn(
            BucketCursor cursor, SortedMap<byte[], byte[]> bucket, Random random)
            throws IOException {
        List<byte[]> keys = List.copyOf(bucket.keySet());
        for (int i = 0; i < 20; i++) {
            boolean existing = !keys.isEmpty() && random.nextBoolean();
            byte[] target = existing ? keys.get(random.nextInt(keys.size())) : randomKey(random);
            SortedMap<byte[], byte[]> rest = bucket.tailMap(target);
            assertThat(cursor.find(target)).isEqualTo(bucket.containsKey(target));
            boolean found = cursor.seek(target);
            for (byte[] expected : rest.keySet().stream().limit(50).toList()) {
                assertThat(found).isTrue();
                assertThat(cursor.key()).isEqualTo(expected);
                assertThat(cursor.valueLength()).isEqualTo(bucket.get(expected).length);
                assertThat(cursor.value()).isEqualTo(bucket.get(expected));
                found = cursor.next();
            }
            assertThat(found).isEqualTo(rest.size() > 50);
        }
    }

    private static SortedMap<byte[], byte[]> randomBucket(Random random) {
        SortedMap<byte[], byte[]> bucket = sorted();
        int keys = List.of(0, 1, 2, 3, 50, 2000).get(random.nextInt(6));
        int valueBytesMax = List.of(1, 20, 300, 10_000).get(random.nextInt(4));
        for (int i = 0; i < keys; i++) {
            byte[] value = new byte[random.nextInt(valueBytesMax)];
            random.nextBytes(value);
            bucket.put(randomKey(random), value);
        }
        return bucket;
    }

    /** Bytes of which many are equal, so that keys have common prefixes. */
    private static byte[] randomKey(Random random) {
        byte[] key = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 600 : 20)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 0xff);
        }
        return key;
    }
}
