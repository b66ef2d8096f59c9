package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.copy;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static io.brain.storage.rocksdb.Stores.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Zeros behind the end of a log. */
final class LogRoomTest {
    private static final int LOG_BLOCK = 32 << 10;

    /** Less than the header of a record. */
    private static final int FILLER_BYTES = 5;

    private static final int FILL_BYTES = 10_000;

    private static final int BATCH_BYTES = LogRoom.ROOM_BYTES / LogRoom.BATCHES_MIN + 1;

    /** Bytes by which a log grows: the zeros begin where the last batch will end. */
    private static final int GROWTH = BATCH_BYTES * LogRoom.BATCHES_MIN;

    @TempDir Path temp;
    private Path running;
    private Path crashed;

    @BeforeEach
    void name() {
        running = temp.resolve("running");
        crashed = temp.resolve("crashed");
    }

    /** Appends zeros to a log, as before a small batch. */
    static void extend(Path log) {
        write(new LogRoom(() -> List.of(log)), LogRoom.BATCHES_MIN, BATCH_BYTES);
    }

    private static void write(LogRoom room, int batches, int bytes) {
        for (int i = 0; i < batches; i++) {
            room.prepare(bytes);
        }
    }

    private static Path log(Path directory) {
        List<Path> logs = Stores.files(directory, ".*\\.log");
        assertThat(logs).hasSize(1);
        return logs.get(0);
    }

    /** A running store that has written a batch behind others, over zeros. */
    private RocksDbStorage storeWithRoom() throws IOException {
        RocksDbStorage store = open(running);
        put(store, "before", "1");
        long end = Files.size(log(running));
        extend(log(running));
        put(store, "after", "1");
        assertThat(Files.size(log(running))).isEqualTo(end + GROWTH);
        return store;
    }

    private void crash() throws IOException {
        RocksDbStorage store = storeWithRoom();
        copy(running, crashed);
        store.close();
    }

    private static void expectBoth(KvStorage store) {
        assertThat(get(store, "before")).isEqualTo("1");
        assertThat(get(store, "after")).isEqualTo("1");
    }

    @Test
    void roomIsMadeWhenTheLastIsUsedUp() throws IOException {
        Path log = Files.write(temp.resolve("1.log"), new byte[] {1, 2, 3});
        LogRoom room = new LogRoom(() -> List.of(log));
        write(room, LogRoom.BATCHES_MIN - 1, BATCH_BYTES);
        assertThat(Files.size(log)).isEqualTo(3);
        room.prepare(BATCH_BYTES);
        byte[] expected = Arrays.copyOf(new byte[] {1, 2, 3}, 3 + GROWTH);
        assertThat(Files.readAllBytes(log)).isEqualTo(expected);
        write(room, LogRoom.BATCHES_MIN - 1, BATCH_BYTES);
        assertThat(Files.size(log)).isEqualTo(expected.length);
        room.prepare(BATCH_BYTES);
        assertThat(Files.size(log)).isEqualTo(expected.length + GROWTH);
    }

    @Test
    void roomIsMadeBehindALargeBatchAmongSmallOnes() throws IOException {
        Path log = Files.createFile(temp.resolve("1.log"));
        LogRoom room = new LogRoom(() -> List.of(log));
        write(room, LogRoom.BATCHES_MIN, 1);
        room.prepare(LogRoom.BATCH_BYTES_MAX);
        assertThat(Files.size(log)).isEqualTo(LogRoom.BATCH_BYTES_MAX + LogRoom.BATCHES_MIN);
    }

    @Test
    void noRoomIsMadeBehindABatchThatTakesSeveralWrites() throws IOException {
        Path log = Files.createFile(temp.resolve("1.log"));
        LogRoom room = new LogRoom(() -> List.of(log));
        write(room, LogRoom.BATCHES_MIN, 1);
        room.prepare(LogRoom.BATCH_BYTES_MAX + 1);
        room.prepare(2 * LogRoom.BATCH_BYTES_MAX);
        assertThat(Files.size(log)).isZero();
        room.prepare(100);
        assertThat(Files.size(log)).isEqualTo(LogRoom.ROOM_BYTES + 100);
    }

    @Test
    void noRoomIsMadeForLargeBatches() throws IOException {
        Path log = Files.createFile(temp.resolve("1.log"));
        LogRoom room = new LogRoom(() -> List.of(log));
        write(room, 10 * LogRoom.BATCHES_MIN, 2 * BATCH_BYTES);
        assertThat(Files.size(log)).isZero();
    }

    @Test
    void withoutALogNothingHappens() {
        write(new LogRoom(List::of), LogRoom.BATCHES_MIN, BATCH_BYTES);
        extend(temp.resolve("absent.log"));
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void aCleanStopLeavesNoZeros() throws IOException {
        storeWithRoom().close();
        byte[] content = Files.readAllBytes(log(running));
        assertThat(content.length).isLessThan(LogRoom.ROOM_BYTES);
        try (KvStorage store = open(running)) {
            expectBoth(store);
        }
    }

    @Test
    void aStartAfterACrashTruncatesThem() throws IOException {
        crash();
        for (int life = 0; life < 3; life++) {
            try (KvStorage store = open(crashed)) {
                assertThat(Stores.files(crashed, ".*\\.log"))
                        .allMatch(log -> log.toFile().length() < LogRoom.ROOM_BYTES);
                expectBoth(store);
                put(store, "life" + life, "1");
            }
        }
    }

    @Test
    void aReaderReadsOverThem() throws IOException {
        crash();
        try (KvStorage store = ReadOnlyStorage.open(Stores.settings(crashed))) {
            expectBoth(store);
        }
    }

    /** Zeros behind a damaged batch do not make it an incomplete one. */
    @Test
    void aDamagedLastBatchBeforeThemIsRefused() throws IOException {
        crash();
        byte[] content = Files.readAllBytes(log(crashed));
        content[PowerLossTest.written(log(crashed)) - 1] ^= 0x15;
        Files.write(log(crashed), content);
        assertThat(Stores.refusal(Kind.CORRUPT, crashed)).contains("checksum mismatch");
    }

    /** The filler at the end of a block is no lost sector of the batch behind it. */
    @Test
    void aDamagedBatchBehindFillerIsRefused() throws IOException {
        try (RocksDbStorage store = open(running)) {
            put(store, "fill", "x".repeat(FILL_BYTES));
            long small = Files.size(log(running));
            put(store, "fill", "x".repeat(FILL_BYTES));
            long overhead = Files.size(log(running)) - small - FILL_BYTES;
            long rest = LOG_BLOCK - FILLER_BYTES - Files.size(log(running)) - overhead;
            put(store, "fill", "x".repeat((int) rest));
            assertThat(Files.size(log(running))).isEqualTo(LOG_BLOCK - FILLER_BYTES);
            extend(log(running));
            put(store, "after", "1");
            copy(running, crashed);
        }
        byte[] content = Files.readAllBytes(log(crashed));
        content[PowerLossTest.written(log(crashed)) - 1] ^= 0x15;
        Files.write(log(crashed), content);
        assertThat(Stores.refusal(Kind.CORRUPT, crashed)).contains("checksum mismatch");
    }
}
