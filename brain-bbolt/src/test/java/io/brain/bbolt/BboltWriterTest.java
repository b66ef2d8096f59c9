package io.brain.bbolt;

import static io.brain.bbolt.Databases.bucket;
import static io.brain.bbolt.Databases.sorted;
import static io.brain.bbolt.Databases.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BboltWriterTest {
    @TempDir Path directory;

    /** The fields of the format, written out; bbolt computes the same checksums. */
    @Test
    void emptyDatabaseByByte() throws IOException {
        Path file = directory.resolve("database");
        Databases.write(file, 4096, 90, sorted());
        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).hasSize(4 * 4096);
        HexFormat hex = HexFormat.of();
        String fields = "edda0ced" + "02000000" + "00100000" + "00000000";
        String rootFreelistCount = number(3) + number(0) + number(2) + number(4);
        String meta0 = number(0) + "0400" + "0000" + "00000000" + fields + rootFreelistCount;
        String meta1 = number(1) + "0400" + "0000" + "00000000" + fields + rootFreelistCount;
        assertThat(hex.formatHex(bytes, 0, 80)).isEqualTo(meta0 + number(0) + "eefd8946116e5107");
        assertThat(hex.formatHex(bytes, 4096, 4176))
                .isEqualTo(meta1 + number(1) + "0f4879511a354c26");
        assertThat(hex.formatHex(bytes, 8192, 8208))
                .isEqualTo(number(2) + "1000" + "0000" + "00000000");
        assertThat(hex.formatHex(bytes, 12288, 12304))
                .isEqualTo(number(3) + "0200" + "0000" + "00000000");
    }

    private static String number(int value) {
        return String.format("%02x00000000000000", value);
    }

    @Test
    void equalInputGivesEqualBytes() throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        for (int i = 0; i < 5000; i++) {
            database.computeIfAbsent(utf8("bucket" + i % 3), name -> sorted())
                    .put(utf8("key" + i), new byte[i % 200]);
        }
        Databases.write(directory.resolve("a"), 4096, 90, database);
        Databases.write(directory.resolve("b"), 4096, 90, database);
        assertThat(directory.resolve("a")).hasSameBinaryContentAs(directory.resolve("b"));
    }

    /** bbolt stops with a failed assertion when it rebalances a branch with a single child. */
    @Test
    void branchesHaveTwoChildren() throws IOException {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
            SortedMap<byte[], byte[]> bucket = bucket(database, "key");
            int keyBytes = 4 + random.nextInt(2000);
            for (int i = random.nextInt(300); i > 0; i--) {
                byte[] key = new byte[4 + random.nextInt(keyBytes)];
                random.nextBytes(key);
                bucket.put(key, new byte[random.nextInt(100)]);
            }
            Path file = directory.resolve("database" + round);
            Databases.write(file, 1024, 10 + random.nextInt(91), database);
            assertThat(fewestChildren(file)).as("round %d", round).isGreaterThan(1);
            Files.delete(file);
        }
    }

    private static int fewestChildren(Path path) throws IOException {
        int fewest = Integer.MAX_VALUE;
        try (BlockFile file = new BlockFile(path)) {
            Meta meta = Meta.newest(file);
            for (long id = 3; id < meta.pageCount(); ) {
                Page page = Page.read(file, meta, id, Format.BRANCH | Format.LEAF);
                if (page.isBranch()) {
                    fewest = Math.min(fewest, page.count());
                }
                id += page.pages();
            }
        }
        return fewest;
    }

    @Test
    void pagesAreFilledAsAsked() throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        SortedMap<byte[], byte[]> bucket = bucket(database, "key");
        for (int i = 0; i < 100_000; i++) {
            bucket.put(utf8(String.format("%08d", i)), new byte[76]);
        }
        // Each key takes 100 bytes.
        Databases.write(directory.resolve("90"), 4096, 90, database);
        Databases.write(directory.resolve("50"), 4096, 50, database);
        assertThat(Files.size(directory.resolve("90")) / 4096).isBetween(2778L, 2850L);
        assertThat(Files.size(directory.resolve("50")) / 4096).isBetween(5000L, 5150L);
    }

    @Test
    void unfinishedFileIsNoDatabase() throws IOException {
        Path file = directory.resolve("database");
        try (BboltWriter writer = BboltWriter.create(file)) {
            writer.bucket(utf8("key"));
            for (int i = 0; i < 10_000; i++) {
                writer.put(utf8(String.format("%08d", i)), new byte[76]);
            }
        }
        assertThat(Files.size(file)).isGreaterThan(500_000);
        assertThatThrownBy(() -> BboltReader.open(file))
                .isInstanceOf(BboltException.class)
                .hasMessage("page 0: not a bbolt database (wrong magic number)");
    }

    @Test
    void emptyFileIsUsedAndAnotherIsNot() throws IOException {
        Path file = Files.createFile(directory.resolve("database"));
        Databases.write(file, 4096, 90, sorted());
        assertThatThrownBy(() -> BboltWriter.create(file))
                .isInstanceOf(FileAlreadyExistsException.class);
        try (BboltReader reader = BboltReader.open(file)) {
            assertThat(reader.check()).isZero();
        }
    }

    @Test
    void wrongCallsAreRefused() throws IOException {
        try (BboltWriter writer = BboltWriter.create(directory.resolve("database"))) {
            byte[] key = utf8("k");
            assertThatThrownBy(() -> writer.put(key, key))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> writer.bucket(new byte[0]))
                    .isInstanceOf(IllegalArgumentException.class);
            writer.bucket(utf8("b"));
            writer.put(key, key);
            for (byte[] wrong : new byte[][] {key, utf8("a"), {}, new byte[32769]}) {
                assertThatThrownBy(() -> writer.put(wrong, key))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> writer.bucket(utf8("b")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("keys must ascend");
            assertThat(writer.finish()).isEqualTo(5 * 4096);
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
        for (int[] wrong :
                new int[][] {{1000, 90}, {512, 90}, {131072, 90}, {4096, 9}, {4096, 101}}) {
            assertThatThrownBy(
                            () ->
                                    BboltWriter.create(
                                            directory.resolve("other"), wrong[0], wrong[1]))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
