package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.step;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** A store that is filled without a write-ahead log. */
final class LoadingTest {
    private static final int STEPS = 100;

    @TempDir Path directory;
    @TempDir Path other;

    @Test
    void aLoadedStoreServesAsAnyOther() {
        try (KvStorage loading = openForLoading()) {
            commit(loading, 1, STEPS);
            loading.finishLoading();
        }
        assertThat(Stores.files(directory, ".*\\.sst")).hasSize(1);
        try (KvStorage store = Stores.open(directory)) {
            commit(store, STEPS + 1, STEPS + 2);
        }
        requireSteps(directory, STEPS + 2);
    }

    @Test
    void whatIsFinishedSurvivesACrash() {
        Path crashed = other;
        try (KvStorage loading = openForLoading()) {
            commit(loading, 1, STEPS);
            loading.finishLoading();
            Stores.copy(directory, crashed);
        }
        requireSteps(crashed, STEPS);
    }

    @Test
    void aCrashLosesTheLastCommitsOnly() {
        Path crashed = other;
        Committer.Writer flushesOnce =
                (engine, batch, sync) -> {
                    engine.write(batch, sync);
                    if (engine.newest(Stores.bytes("at51")) == null) {
                        engine.flush();
                    }
                };
        try (KvStorage loading = openForLoading(flushesOnce)) {
            commit(loading, 1, STEPS);
            Stores.copy(directory, crashed);
        }
        requireSteps(crashed, 50);
        try (KvStorage again = openForLoading(crashed, Engine::write)) {
            commit(again, 51, STEPS);
            again.finishLoading();
        }
        requireSteps(crashed, STEPS);
    }

    @Test
    void aClosedStoreHasAllCommits() {
        try (KvStorage loading = openForLoading()) {
            commit(loading, 1, STEPS);
        }
        requireSteps(directory, STEPS);
    }

    /** Without a log nobody knows what the engine has after it is opened again. */
    @Test
    void aFailedCommitIsTheLast() {
        RocksDBException noSpace =
                new RocksDBException(
                        "injected",
                        new Status(Status.Code.IOError, Status.SubCode.NoSpace, "injected"));
        Committer.Writer failsAtTen =
                (engine, batch, sync) -> {
                    if (engine.newest(Stores.bytes("at9")) != null) {
                        throw noSpace;
                    }
                    engine.write(batch, sync);
                };
        try (KvStorage loading = openForLoading(failsAtTen)) {
            commit(loading, 1, 9);
            CommitResult failed = await(loading.commit(step(10)));
            assertThat(failed).isInstanceOf(CommitResult.Uncertain.class);
            CommitResult resolved = await(loading.resolve(step(10)));
            assertThat(resolved).isInstanceOf(CommitResult.Uncertain.class);
            StorageException cause = ((CommitResult.Uncertain) resolved).cause();
            assertThat(cause.kind()).isEqualTo(Kind.NO_SPACE);
            Stores.thrown(Kind.NO_SPACE, loading::finishLoading);
        }
    }

    private KvStorage openForLoading() {
        return openForLoading(Engine::write);
    }

    private KvStorage openForLoading(Committer.Writer writer) {
        return openForLoading(directory, writer);
    }

    private static KvStorage openForLoading(Path directory, Committer.Writer writer) {
        return RocksDbStorage.open(
                Stores.settings(directory).forLoading(), writer, EngineSlot.Timeouts.STANDARD);
    }

    private static void commit(KvStorage store, int from, int to) {
        for (int number = from; number <= to; number++) {
            assertThat(await(store.commit(step(number))))
                    .isInstanceOf(CommitResult.Committed.class);
        }
    }

    /** The store has all steps up to the last, and no other. */
    private static void requireSteps(Path directory, int last) {
        try (KvStorage store = Stores.open(directory)) {
            assertThat(get(store, "fence")).isEqualTo("fence " + last);
            assertThat(get(store, "at1")).isEqualTo("fence 1");
            assertThat(get(store, "at" + last)).isEqualTo("fence " + last);
            assertThat(Stores.count(store)).isEqualTo(last + 1);
        }
    }
}
