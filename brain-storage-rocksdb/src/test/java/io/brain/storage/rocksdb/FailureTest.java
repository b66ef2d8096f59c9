package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.put;
import static io.brain.storage.rocksdb.Stores.step;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Writes that fail, and the engine that is opened anew after them. */
final class FailureTest extends FailingStore {
    @Test
    void aWriteThatFailedBeforeTheLogIsResolvedAsNotCommitted() {
        assertThat(uncertain(commitWith(step(2), without(ioError)))).isEqualTo(Kind.UNAVAILABLE);
        assertThat(get(store, "at1")).as("reads go on").isEqualTo("fence 1");

        assertThat(unavailable(await(store.resolve(step(2))))).isEqualTo(Kind.UNAVAILABLE);
        assertThat(get(store, "at2")).isNull();
        assertThat(await(store.commit(step(2)))).isInstanceOf(CommitResult.Committed.class);
        assertThat(get(store, "at2")).isEqualTo("fence 2");
    }

    @Test
    void aWriteThatFailedAfterTheLogIsResolvedAsCommitted() {
        uncertain(commitWith(step(2), afterwards(ioError)));

        CommitResult resolved = await(store.resolve(step(2)));

        assertThat(resolved).isInstanceOf(CommitResult.Committed.class);
        assertThat(((CommitResult.Committed) resolved).timestamp()).isEqualTo(store.timestamp());
        assertThat(get(store, "at2")).isEqualTo("fence 2");
    }

    /** The log's sync failed, so the log is not proof: what is called committed is in a table. */
    @Test
    void whatIsResolvedAsCommittedDoesNotDependOnTheLogThatFailed() throws IOException {
        uncertain(commitWith(step(2), afterwards(ioError)));
        assertThat(await(store.resolve(step(2)))).isInstanceOf(CommitResult.Committed.class);
        Path crashed = directory.resolve("crashed");
        Stores.copy(directory.resolve("rocksdb"), crashed.resolve("rocksdb"));
        Files.copy(directory.resolve("FORMAT"), crashed.resolve("FORMAT"));

        for (Path log : Stores.files(crashed, ".*\\.log")) {
            Files.write(log, new byte[0]);
        }
        try (RocksDbStorage after = Stores.open(crashed)) {
            assertThat(get(after, "at2")).isEqualTo("fence 2");
        }
    }

    /** A compaction's deletes: the owner does them again, and does not ask how they ended. */
    @Test
    void acknowledgedBatchesDoNotBuildOnAnUnresolvedBatchWhoseSyncFailed() throws IOException {
        Path log = newestLog(directory);
        long synced = Files.size(log);
        WriteBatch deletes = WriteBatch.builder().delete(bytes("at1")).build();
        uncertain(commitWith(deletes, afterwards(ioError)));
        put(store, "acknowledged", "1");
        Path crashed = directory.resolve("crashed");
        Stores.copy(directory.resolve("rocksdb"), crashed.resolve("rocksdb"));
        Files.copy(directory.resolve("FORMAT"), crashed.resolve("FORMAT"));

        Path torn = crashed.resolve("rocksdb").resolve(log.getFileName());
        if (Files.exists(torn)) { // as a disk leaves it that never got what the sync failed for
            Files.write(torn, Arrays.copyOf(Files.readAllBytes(torn), (int) synced));
        }
        try (RocksDbStorage after = Stores.open(crashed)) {
            assertThat(get(after, "acknowledged")).isEqualTo("1");
        }
    }

    /** A full disk leaves the first record of a batch in a log that has nothing else. */
    @Test
    void aLogMissingBehindOneWithATornBatchOnlyIsRefused() throws IOException {
        Path full = directory.resolve("full");
        try (RocksDbStorage first = Stores.open(full)) {
            put(first, "kept", "1");
        }
        try (RocksDbStorage second = Stores.open(full)) {
            put(second, "torn", "x".repeat(100_000));
        }
        Path torn = newestLog(full);
        Files.write(torn, Arrays.copyOf(Files.readAllBytes(torn), 32 << 10));
        Files.delete(full.resolve("CLOSED"));
        try (RocksDbStorage third = Stores.open(full)) {
            put(third, "after", "1");
        }
        Path missing = newestLog(full);
        try (RocksDbStorage fourth = Stores.open(full)) {
            assertThat(get(fourth, "kept")).isEqualTo("1");
            assertThat(get(fourth, "torn")).isNull();
            put(fourth, "after", "2");
        }
        Files.delete(missing);

        assertThat(Stores.refusal(Kind.CORRUPT, full)).contains("a log between");
    }

    private static Path newestLog(Path directory) {
        return Stores.files(directory, ".*\\.log").stream()
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Test
    void aFailureIsNotTheReasonOfLaterBatches() {
        uncertain(commitWith(step(2), without(noSpace)));
        assertThat(unavailable(await(store.resolve(step(2))))).isEqualTo(Kind.NO_SPACE);
        assertThat(await(store.commit(step(2)))).isInstanceOf(CommitResult.Committed.class);

        assertThat(unavailable(await(store.resolve(step(3))))).isEqualTo(Kind.UNAVAILABLE);
    }

    /** RocksDB keeps the error of a compaction, also when there is space again. */
    @Test
    void anOldErrorOfACompactionIsNotTakenForAFullDisk() {
        String text = "IO error: No space left on device";
        RocksDBException old =
                new RocksDBException(
                        text, new Status(Status.Code.Incomplete, Status.SubCode.None, text));
        uncertain(commitWith(step(2), without(old)));
        assertThat(unavailable(await(store.resolve(step(2))))).isEqualTo(Kind.UNAVAILABLE);
        uncertain(commitWith(step(2), without(old)));
        assertThat(unavailable(await(store.resolve(step(2)))))
                .as("the reopened engine has it too")
                .isEqualTo(Kind.NO_SPACE);
        assertThat(await(store.commit(step(2)))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void anyThrowableOfAWriteIsAnUncertainEnd() {
        uncertain(
                commitWith(
                        step(2),
                        (engine, batch, sync) -> {
                            throw new OutOfMemoryError("injected");
                        }));
        unavailable(await(store.resolve(step(2))));
        uncertain(
                commitWith(
                        step(2),
                        (engine, batch, sync) -> {
                            throw new IllegalStateException("injected");
                        }));
        unavailable(await(store.resolve(step(2))));
    }

    @Test
    void othersContinueWithoutWaitingForTheOwnerToResolve() {
        uncertain(commitWith(step(2), without(ioError)));
        put(store, "housekeeping", "1");
        unavailable(await(store.resolve(step(2))));

        uncertain(commitWith(step(2), afterwards(ioError)));
        put(store, "housekeeping", "2");
        assertThat(await(store.resolve(step(2)))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void timestampsContinueAfterAReopen() {
        long before = store.timestamp();
        uncertain(commitWith(step(2), afterwards(ioError)));
        CommitResult.Committed resolved = (CommitResult.Committed) await(store.resolve(step(2)));
        CommitResult.Committed later = (CommitResult.Committed) await(store.commit(step(3)));

        assertThat(resolved.timestamp()).isGreaterThan(before);
        assertThat(later.timestamp()).isGreaterThan(resolved.timestamp());
    }

    @Test
    void aFailedStoreCanBeClosed() {
        uncertain(commitWith(step(2), afterwards(ioError)));
        reopen(EngineSlot.Timeouts.STANDARD);

        assertThat(await(store.resolve(step(2)))).isInstanceOf(CommitResult.Committed.class);
    }

    /** The real thing is in {@link FullDiskTest}. */
    @Test
    void aFullDiskIsReportedAsNoSpace() {
        assertThat(uncertain(commitWith(step(2), without(noSpace)))).isEqualTo(Kind.NO_SPACE);
        assertThat(unavailable(await(store.resolve(step(2))))).isEqualTo(Kind.NO_SPACE);
        put(store, "alarm", "1");
    }

    @Test
    void everyBatchIsSyncedUnlessTheOptionForbidsIt() {
        syncs.clear();
        put(store, "k", "1");
        await(store.commit(WriteBatch.builder().delete(bytes("k")).build()));
        assertThat(syncs).containsExactly(true, true);

        reopen(EngineSlot.Timeouts.STANDARD, "sync-writes", "false");
        syncs.clear();
        put(store, "k", "3");
        assertThat(syncs).containsExactly(false);
    }
}
