package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.step;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** A store whose writes a test can make fail. The fence is at 1. */
@Timeout(300)
abstract class FailingStore {
    final RocksDBException ioError = error(Status.SubCode.None);
    final RocksDBException noSpace = error(Status.SubCode.NoSpace);

    static RocksDBException error(Status.SubCode subCode) {
        return new RocksDBException(
                "injected", new Status(Status.Code.IOError, subCode, "injected"));
    }

    @TempDir Path directory;
    RocksDbStorage store;

    /** What the next write does; null: what it should. Then null again. */
    volatile Committer.Writer next;

    /** Whether each write was to be synced. */
    final List<Boolean> syncs = new ArrayList<>();

    @BeforeEach
    void openStore() {
        open(EngineSlot.Timeouts.STANDARD);
        assertThat(await(store.commit(step(1)))).isInstanceOf(CommitResult.Committed.class);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    void open(EngineSlot.Timeouts timeouts, String... options) {
        Committer.Writer writer =
                (engine, batch, sync) -> {
                    Committer.Writer now = next == null ? Engine::write : next;
                    next = null;
                    syncs.add(sync);
                    now.write(engine, batch, sync);
                };
        store = RocksDbStorage.open(Stores.settings(directory, options), writer, timeouts);
    }

    void reopen(EngineSlot.Timeouts timeouts, String... options) {
        store.close();
        open(timeouts, options);
    }

    static Kind uncertain(CommitResult end) {
        assertThat(end).isInstanceOf(CommitResult.Uncertain.class);
        return ((CommitResult.Uncertain) end).cause().kind();
    }

    static Kind unavailable(CommitResult end) {
        assertThat(end).isInstanceOf(CommitResult.Unavailable.class);
        return ((CommitResult.Unavailable) end).cause().kind();
    }

    CommitResult commitWith(WriteBatch batch, Committer.Writer writer) {
        next = writer;
        return await(store.commit(batch));
    }

    static Committer.Writer without(RocksDBException error) {
        return (engine, batch, sync) -> {
            throw error;
        };
    }

    static Committer.Writer afterwards(RocksDBException error) {
        return (engine, batch, sync) -> {
            engine.write(batch, sync);
            throw error;
        };
    }
}
