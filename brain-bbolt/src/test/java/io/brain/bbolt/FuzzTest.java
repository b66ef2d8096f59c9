package io.brain.bbolt;

import static io.brain.bbolt.Databases.bucket;
import static io.brain.bbolt.Databases.sorted;
import static io.brain.bbolt.Databases.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged files are read as far as they go, or fail with a BboltException, in bounded time. Half of
 * them were snapshots of etcd 3.4 to 3.7 (make-etcd-files.sh). For minutes: {@code ./mvnw -pl
 * brain-bbolt test -Dtest=FuzzTest -Dtest.args=-Dfuzz.seconds=600}; with {@code -Dseed=N} as well,
 * from that seed on.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("seed", 1);
    private static final int FILES = 2000;
    private static final int ETCD_PAGE = 4096;
    private static final long NANOS = Long.getLong("fuzz.seconds", 0) * 1_000_000_000L;
    private static final long NANOS_PER_FILE_MAX = 10_000_000_000L;

    @TempDir Path directory;

    /** How many files failed, by message without numbers. */
    private final Map<String, Integer> kinds = new TreeMap<>();

    /** A database of which copies are damaged. */
    private static final class Original {
        private final byte[] bytes;
        private final int pageSize;

        private Original(byte[] bytes, int pageSize) {
            this.bytes = bytes;
            this.pageSize = pageSize;
        }
    }

    @Test
    void damagedFiles() throws IOException {
        List<Original> small = small();
        List<Original> ofEtcd = ofEtcd();
        long start = System.nanoTime();
        long failed = 0;
        long seed = SEED;
        while (seed < SEED + FILES || System.nanoTime() - start < NANOS) {
            Random random = new Random(seed);
            List<Original> originals = seed % 2 == 0 ? small : ofEtcd;
            byte[] damaged = damage(originals.get(random.nextInt(originals.size())), random);
            Path file = Files.write(directory.resolve("database"), damaged);
            long before = System.nanoTime();
            failed += fails(file, random, seed) ? 1 : 0;
            assertThat(System.nanoTime() - before)
                    .as("seed %d", seed)
                    .isLessThan(NANOS_PER_FILE_MAX);
            seed++;
        }
        System.out.printf(
                "%d damaged files in %d s, %d failed%n",
                seed - SEED, (System.nanoTime() - start) / 1_000_000_000, failed);
        kinds.forEach((kind, count) -> System.out.printf("%8d  %s%n", count, kind));
        assertThat(failed).isBetween((seed - SEED) / 2, seed - SEED - 1);
    }

    /** Reads in each way; true if any of them failed as it should. */
    private boolean fails(Path file, Random random, long seed) {
        boolean failed = false;
        try (BboltReader reader = BboltReader.open(file)) {
            failed |= fails(reader::check);
            failed |= fails(() -> readAll(reader));
            byte[] target = utf8("key" + random.nextInt(1000));
            for (String name : List.of("a", "b", "c", "d", "key", "lease")) {
                failed |= fails(() -> seek(reader, utf8(name), target));
            }
        } catch (BboltException expected) {
            count(expected);
            return true;
        } catch (IOException | RuntimeException | Error e) {
            throw new AssertionError("seed " + seed, e);
        }
        return failed;
    }

    private interface Reading {
        void run() throws IOException;
    }

    private boolean fails(Reading reading) throws IOException {
        try {
            reading.run();
            return false;
        } catch (BboltException expected) {
            assertThat(expected.getMessage()).matches("page [0-9]+[^\n]*: [^\n]+");
            count(expected);
            return true;
        }
    }

    private void count(BboltException failure) {
        String kind = failure.getMessage().replaceAll("0x[0-9a-f]+", "N").replaceAll("[0-9]+", "N");
        kinds.merge(kind, 1, Integer::sum);
    }

    private static void readAll(BboltReader reader) throws IOException {
        BucketCursor names = reader.buckets();
        while (names.next()) {
            // Not found if the names are out of order.
            BucketCursor cursor = reader.bucket(names.key()).orElse(null);
            while (cursor != null && cursor.next()) {
                assertThat(cursor.value().length).isEqualTo((int) cursor.valueLength());
            }
        }
    }

    private static void seek(BboltReader reader, byte[] name, byte[] target) throws IOException {
        BucketCursor cursor = reader.bucket(name).orElse(null);
        if (cursor != null && cursor.seek(target)) {
            cursor.value();
            cursor.next();
        }
    }

    private static byte[] damage(Original original, Random random) {
        byte[] copy = original.bytes.clone();
        ByteBuffer bytes = ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN);
        int size = original.pageSize;
        int pages = copy.length / size;
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            // Not the meta pages, of which a checksum guards each.
            damage(bytes, 2 + random.nextInt(pages - 2), size, random);
        }
        if (random.nextInt(10) == 0) {
            Meta meta = new Meta(1, size, number(random, pages), number(random, pages), pages, 1);
            bytes.put(size, meta.encode().array());
        }
        if (random.nextInt(20) == 0) {
            flip(bytes, random.nextInt(2 * size), random);
        }
        int length = random.nextInt(20) == 0 ? random.nextInt(copy.length) : copy.length;
        byte[] damaged = new byte[length];
        bytes.get(0, damaged);
        return damaged;
    }

    private static void damage(ByteBuffer bytes, int number, int size, Random random) {
        int page = number * size;
        int pages = bytes.capacity() / size;
        switch (random.nextInt(8)) {
            case 0 -> flip(bytes, page + random.nextInt(size), random);
            case 1 -> flip(bytes, page + random.nextInt(200), random);
            case 2 -> bytes.putShort(page + 8 + 2 * random.nextInt(2), (short) number(random, 64));
            case 3 -> bytes.putInt(page + 12, (int) number(random, 8));
            case 4, 5 ->
                    bytes.putInt(page + 16 + 4 * random.nextInt(40), (int) number(random, 2000));
            case 6 -> bytes.putLong(page + 24 + 16 * random.nextInt(10), number(random, pages));
            default -> {
                byte[] other = new byte[size];
                if (random.nextBoolean()) {
                    random.nextBytes(other);
                } else {
                    bytes.get(random.nextInt(pages) * size, other);
                }
                int from = random.nextInt(3) * 8;
                bytes.put(page + from, other, from, size - from);
            }
        }
    }

    private static void flip(ByteBuffer bytes, int at, Random random) {
        bytes.put(at, (byte) (bytes.get(at) ^ (1 << random.nextInt(8))));
    }

    /** A number that may fit, or one that does not. */
    private static long number(Random random, int bound) {
        return switch (random.nextInt(6)) {
            case 0 -> -1;
            case 1 -> 1L << random.nextInt(64);
            case 2 -> (1L << random.nextInt(64)) - random.nextInt(64);
            default -> random.nextInt(bound);
        };
    }

    /** Files with pages of 1024 bytes and buckets a to d. */
    private List<Original> small() throws IOException {
        List<Original> originals = new ArrayList<>();
        for (int keys : new int[] {1, 30, 300, 1000}) {
            Path file = directory.resolve("original" + keys);
            SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
            for (int i = 0; i < keys; i++) {
                bucket(database, "a").put(utf8("first"), utf8("value"));
                database.computeIfAbsent(utf8("b"), name -> sorted())
                        .put(utf8("key" + i), new byte[i % 200]);
            }
            bucket(database, "c");
            bucket(database, "d").put(utf8("large"), new byte[20 * keys]);
            Databases.write(file, RawFile.PAGE, 90, database);
            originals.add(small(file));
        }
        RawFile small = new RawFile(directory.resolve("small"));
        originals.add(small(small.write()));
        originals.add(small(small.inlineBucket().write()));
        RawFile etcdLike =
                small.append(20).meta(RawFile.PAGE, RawFile.ROOT, Format.NO_FREELIST, 37);
        originals.add(small(etcdLike.write()));
        return originals;
    }

    private static Original small(Path file) throws IOException {
        return new Original(Files.readAllBytes(file), RawFile.PAGE);
    }

    private static List<Original> ofEtcd() throws IOException {
        List<Original> originals = new ArrayList<>();
        for (String version : List.of("3.4", "3.5", "3.6", "3.7")) {
            String name = "/etcd-" + version + ".db.gz";
            try (InputStream in = new GZIPInputStream(FuzzTest.class.getResourceAsStream(name))) {
                originals.add(new Original(in.readAllBytes(), ETCD_PAGE));
            }
        }
        return originals;
    }
}
