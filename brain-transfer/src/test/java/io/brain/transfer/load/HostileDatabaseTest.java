package io.brain.transfer.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.bbolt.BboltReader;
import io.brain.bbolt.BboltWriter;
import io.brain.bbolt.BucketCursor;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.testkit.MemoryStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Databases of etcd 3.4 to 3.7 whose structure is right and whose keys and values were changed are
 * refused with one line, or imported into a sound store. For minutes: {@code ./mvnw -pl
 * brain-transfer -am test -Dtest=HostileDatabaseTest -Dtest.args=-Dfuzz.seconds=600}; with {@code
 * -Dseed=N} as well, from that seed on.
 */
class HostileDatabaseTest {
    private static final long SEED = Long.getLong("seed", 1);
    private static final int FILES = 150;
    private static final long NANOS = Long.getLong("fuzz.seconds", 0) * 1_000_000_000L;
    private static final Path FILES_OF_ETCD = Path.of("../brain-bbolt/src/test/resources");

    @TempDir private Path directory;

    /** How many files were refused, by message without numbers and names. */
    private final Map<String, Integer> kinds = new TreeMap<>();

    /** A key and its value. */
    private static final class Entry {
        private final byte[] key;
        private final byte[] value;

        private Entry(byte[] key, byte[] value) {
            this.key = key;
            this.value = value;
        }
    }

    @Test
    void isRefusedOrImportedIntoASoundStore() throws IOException {
        List<Map<String, List<Entry>>> originals = originals();
        long start = System.nanoTime();
        long seed = SEED;
        long refused = 0;
        while (seed < SEED + FILES || System.nanoTime() - start < NANOS) {
            Random random = new Random(seed);
            Path file = directory.resolve("database");
            write(file, originals.get(random.nextInt(originals.size())), random);
            refused += isRefused(file, seed) ? 1 : 0;
            Files.delete(file);
            seed++;
        }
        System.out.printf(
                "%d changed databases in %d s, %d refused%n",
                seed - SEED, (System.nanoTime() - start) / 1_000_000_000, refused);
        kinds.forEach((kind, count) -> System.out.printf("%8d  %s%n", count, kind));
        assertThat(refused).isBetween((seed - SEED) / 4, seed - SEED - 1);
    }

    private boolean isRefused(Path file, long seed) {
        MemoryStorage memory = new MemoryStorage();
        try {
            ImportedStore.load(file, ImportOptions.ALL, memory);
            new ImportedStore(memory).requireSound();
            return false;
        } catch (IOException | StorageException refused) {
            assertThat(refused.getMessage()).as("seed %d", seed).isNotBlank().hasLineCount(1);
            assertThat(isEmpty(memory) || isUnfinished(memory))
                    .as("seed %d, not taken for whole: %s", seed, refused)
                    .isTrue();
            String kind =
                    refused.getMessage().replaceAll("\"[^\"]*\"", "K").replaceAll("-?[0-9]+", "N");
            kinds.merge(kind, 1, Integer::sum);
            return true;
        } catch (RuntimeException | Error e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private static boolean isEmpty(MemoryStorage memory) {
        try (Snapshot snapshot = memory.snapshot();
                Cursor all = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            return !all.next();
        }
    }

    private static boolean isUnfinished(MemoryStorage memory) {
        try {
            new ImportedStore(memory).requireSound();
            return false;
        } catch (StorageException refused) {
            return refused.getMessage().contains("is unfinished");
        }
    }

    /** Writes a database with a few changes. */
    private static void write(Path file, Map<String, List<Entry>> original, Random random)
            throws IOException {
        List<String> names = List.copyOf(original.keySet());
        List<String> changed = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            changed.add(random.nextInt(3) > 0 ? "key" : names.get(random.nextInt(names.size())));
        }
        try (BboltWriter writer = BboltWriter.create(file)) {
            for (String name : names) {
                Map<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
                original.get(name).forEach(entry -> entries.put(entry.key, entry.value));
                for (String each : changed) {
                    if (each.equals(name)) {
                        change(entries, original.get(name), random);
                    }
                }
                writer.bucket(name.getBytes(StandardCharsets.UTF_8));
                for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
                    writer.put(entry.getKey(), entry.getValue());
                }
            }
            writer.finish();
        }
    }

    private static void change(Map<byte[], byte[]> entries, List<Entry> original, Random random) {
        if (original.isEmpty()) {
            entries.put(random(random, 1 + random.nextInt(20)), random(random, random.nextInt(40)));
            return;
        }
        Entry entry = original.get(random.nextInt(original.size()));
        Entry other = original.get(random.nextInt(original.size()));
        switch (random.nextInt(8)) {
            case 0 -> entries.remove(entry.key);
            case 1 -> entries.put(entry.key, other.value);
            case 2 -> {
                entries.remove(entry.key);
                entries.put(damaged(entry.key, random), entry.value);
            }
            case 3 -> entries.put(damaged(entry.key, random), entry.value);
            case 4 -> entries.put(random(random, 1 + random.nextInt(30)), entry.value);
            case 5 -> entries.put(entry.key, random(random, random.nextInt(60)));
            default -> entries.put(entry.key, damaged(entry.value, random));
        }
    }

    /** Some bits, bytes or a number changed, or another length; never empty. */
    private static byte[] damaged(byte[] bytes, Random random) {
        if (bytes.length == 0) {
            return random(random, 8);
        }
        byte[] copy = bytes.clone();
        int at = random.nextInt(Math.min(copy.length, 40));
        switch (random.nextInt(5)) {
            case 0 -> copy[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> copy[at] = (byte) random.nextInt();
            case 2 -> {
                return Arrays.copyOf(copy, 1 + random.nextInt(copy.length));
            }
            case 3 -> {
                return Arrays.copyOf(copy, copy.length + 1 + random.nextInt(9));
            }
            default -> {
                if (copy.length >= at + Long.BYTES) {
                    long number =
                            random.nextBoolean() ? -1L << random.nextInt(64) : random.nextInt(50);
                    ByteBuffer.wrap(copy).putLong(at, number);
                }
            }
        }
        return copy;
    }

    private static byte[] random(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private List<Map<String, List<Entry>>> originals() throws IOException {
        List<Map<String, List<Entry>>> originals = new ArrayList<>();
        for (String version : List.of("3.4", "3.5", "3.6", "3.7")) {
            Path stored = FILES_OF_ETCD.resolve("etcd-" + version + ".db.gz");
            Path file = directory.resolve("original");
            try (InputStream in = new GZIPInputStream(Files.newInputStream(stored))) {
                Files.write(file, in.readAllBytes());
            }
            originals.add(read(file));
        }
        return originals;
    }

    private static Map<String, List<Entry>> read(Path file) throws IOException {
        Map<String, List<Entry>> buckets = new TreeMap<>();
        try (BboltReader reader = BboltReader.open(file)) {
            BucketCursor names = reader.buckets();
            while (names.next()) {
                List<Entry> entries = new ArrayList<>();
                BucketCursor cursor = reader.bucket(names.key()).orElseThrow();
                while (cursor.next()) {
                    entries.add(new Entry(cursor.key(), cursor.value()));
                }
                buckets.put(new String(names.key(), StandardCharsets.UTF_8), entries);
            }
        }
        return buckets;
    }
}
