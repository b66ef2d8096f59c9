package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.copy;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static io.brain.storage.rocksdb.Stores.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a disk may hold after the power failed: all that was synced, and of what was written behind
 * it any pages, in any length. Nothing of that may be taken for damage.
 */
@Timeout(120)
final class PowerLossTest {
    private static final int PAGE = 4096;

    @TempDir Path temp;

    /** Of small batches, of such as fill some pages, and of such as fill blocks of the log. */
    @ParameterizedTest
    @CsvSource({
        "200, false",
        "20000, false",
        "300000, false",
        "200, true",
        "20000, true",
        "300000, true"
    })
    void aBatchOnItsWayIsThereOrNotAndAllBeforeItIsThere(int bytesMax, boolean room)
            throws IOException {
        Random random = new Random(bytesMax);
        Path running = temp.resolve("running");
        int number = 0;
        for (int life = 0; life < 4; life++) {
            Path before = temp.resolve("before" + life);
            Path after = temp.resolve("after" + life);
            try (RocksDbStorage store = open(running)) {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    write(store, ++number, random, bytesMax);
                }
                if (room) {
                    LogRoomTest.extend(newestLog(running));
                }
                copy(running, before);
                write(store, number + 1, random, bytesMax);
                copy(running, after);
            }
            for (int image = 0; image < 4; image++) {
                Path lost = temp.resolve("lost" + life + "." + image);
                copy(after, lost);
                loseUnsynced(newestLog(lost), written(newestLog(before)), random);
                checkLost(lost, number);
            }
            number++;
        }
    }

    /** Bytes of a log before the zeros at its end. */
    static int written(Path log) throws IOException {
        byte[] content = Files.readAllBytes(log);
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static void write(KvStorage store, int number, Random random, int bytesMax) {
        byte[] noise = new byte[1 + random.nextInt(bytesMax)];
        random.nextBytes(noise);
        WriteBatch.Builder batch =
                WriteBatch.builder()
                        .put(bytes("a" + number), bytes("1"))
                        .put(bytes("noise" + number), Bytes.wrap(noise))
                        .put(bytes("z" + number), bytes("1"));
        Stores.commit(store, batch);
    }

    /** Keeps of what lies behind {@code synced} some pages, and some length. */
    private static void loseUnsynced(Path log, long synced, Random random) throws IOException {
        byte[] content = Files.readAllBytes(log);
        int length = (int) synced + random.nextInt(content.length - (int) synced + 1);
        for (int page = (int) synced / PAGE * PAGE; page < content.length; page += PAGE) {
            if (random.nextBoolean()) {
                int from = (int) Math.max(synced, page);
                int to = Math.min(page + PAGE, content.length);
                Arrays.fill(content, from, to, (byte) 0);
            }
        }
        Files.write(log, Arrays.copyOf(content, random.nextBoolean() ? content.length : length));
    }

    /** Opens what is left twice, writing between, as the next start must not refuse it either. */
    private static void checkLost(Path lost, int acknowledged) {
        for (int start = 0; start < 2; start++) {
            try (KvStorage store = open(lost)) {
                for (int number = 1; number <= acknowledged; number++) {
                    assertThat(get(store, "z" + number)).as("batch %d", number).isEqualTo("1");
                }
                String next = "" + (acknowledged + 1);
                assertThat(get(store, "z" + next)).isEqualTo(get(store, "a" + next));
                put(store, "after" + start, "1");
                assertThat(get(store, "after0")).isEqualTo("1");
            }
        }
    }

    private static Path newestLog(Path directory) {
        return Stores.files(directory, ".*\\.log").stream()
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Test
    void aReaderThatMayNotCutOffATornBatchSaysThatAStartDoes() throws IOException {
        Path running = temp.resolve("running");
        Path torn = temp.resolve("torn");
        try (RocksDbStorage store = open(running)) {
            put(store, "k", "1");
            copy(running, torn);
        }
        byte[] tail = new byte[3 * PAGE];
        tail[PAGE] = 1;
        Files.write(newestLog(torn), tail, StandardOpenOption.APPEND);

        assertThat(Stores.thrown(Kind.REFUSED, () -> ReadOnlyStorage.open(Stores.settings(torn))))
                .contains(newestLog(torn).toString())
                .contains("start the server once");
        open(torn).close();
        try (KvStorage store = ReadOnlyStorage.open(Stores.settings(torn))) {
            assertThat(get(store, "k")).isEqualTo("1");
        }
    }

    @Test
    void logsThatTablesReplacedProveNothingEvenIfSomeOfThemAreGone() throws IOException {
        Path running = temp.resolve("running");
        Path logged = temp.resolve("logged");
        for (int life = 0; life < 4; life++) {
            try (RocksDbStorage store = open(running)) {
                put(store, "k" + life, "1");
                copy(running, logged.resolve("" + life));
            }
        }
        try (RocksDbStorage store = Stores.openWritingTables(running)) {
            put(store, "flushed", "1");
        }
        try (RocksDbStorage store = open(running)) {
            put(store, "later", "1");
        }
        // As if the machine had stopped while they were deleted, and kept the first and the last.
        List<Path> obsolete =
                Stores.files(logged.resolve("3"), ".*\\.log").stream().sorted().toList();
        for (Path log : List.of(obsolete.get(0), obsolete.get(3))) {
            Files.copy(log, running.resolve("rocksdb").resolve(log.getFileName()));
        }

        Path torn = temp.resolve("torn");
        copy(running, torn);
        Files.write(newestLog(torn), tornBatch(), StandardOpenOption.APPEND);
        for (Path directory : List.of(running, torn)) {
            try (KvStorage store = open(directory)) {
                for (String key : List.of("k0", "k1", "k2", "k3", "flushed", "later")) {
                    assertThat(get(store, key)).isEqualTo("1");
                }
            }
        }
    }

    /** The beginning of a record of 2000 bytes, and zeros over its end and far behind it. */
    private static byte[] tornBatch() {
        ByteBuffer record = ByteBuffer.allocate(2000 + LogRoom.ROOM_BYTES);
        record.order(ByteOrder.LITTLE_ENDIAN).putInt(1234).putShort((short) 2000).put((byte) 1);
        byte[] content = new byte[100];
        Arrays.fill(content, (byte) 1);
        return record.put(content).array();
    }
}
