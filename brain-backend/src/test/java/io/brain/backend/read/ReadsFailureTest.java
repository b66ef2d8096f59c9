package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.OPEN;
import static io.brain.backend.read.Queries.at;
import static io.brain.backend.read.Queries.serializable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.testkit.MemoryStorage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures of reads, and their read points. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadsFailureTest {
    private final MemoryStorage storage = new MemoryStorage();
    private final StoreWriter store = new StoreWriter(storage, new KeyCoder(Bytes.EMPTY));
    private final ReadPoints points = store.points();

    @AfterEach
    void nothingStaysOpen() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void storageFailuresAreMapped() {
        RuntimeException[] thrown = {null};
        ForwardingKvStorage failing =
                new ForwardingKvStorage(storage) {
                    @Override
                    public Snapshot snapshotAt(long timestamp) {
                        throw thrown[0];
                    }
                };
        RangeReader reader =
                new RangeReader(
                        new Store(failing, new KeyCoder(Bytes.EMPTY), store.revisions()),
                        store.known());
        Reads broken = reads(reader, points, Runnable::run);
        for (StorageException.Kind kind : StorageException.Kind.values()) {
            thrown[0] = new StorageException(kind, "injected");
            ErrorKind expected =
                    switch (kind) {
                        case UNAVAILABLE -> ErrorKind.TIMEOUT;
                        case NO_SPACE -> ErrorKind.NO_SPACE;
                        case TOO_LARGE -> ErrorKind.REQUEST_TOO_LARGE;
                        case CORRUPT -> ErrorKind.CORRUPT;
                        case REFUSED -> ErrorKind.INTERNAL;
                        case CLOSED -> ErrorKind.STOPPED;
                    };
            assertFails(expected, broken.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        }
        thrown[0] = new IllegalStateException("injected");
        assertFails(ErrorKind.INTERNAL, broken.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        assertFails(
                ErrorKind.FUTURE_REVISION,
                reads(store.reader(), points, Runnable::run)
                        .range(at(ALL, 99), Tenant.SERVER, OPEN));
        assertThat(broken.heldBytes()).isZero();
    }

    @Test
    void onlyLinearizableReadsWaitForALinearizablePoint() {
        store.put("a", "1");
        CompletableFuture<ReadPoint> point = new CompletableFuture<>();
        ReadPoints waiting =
                new ReadPoints() {
                    @Override
                    public ReadPoint own() {
                        return store.revisions().committed();
                    }

                    @Override
                    public CompletionStage<ReadPoint> linearizable() {
                        return point;
                    }

                    @Override
                    public CompletionStage<ReadPoint> reached(long revision) {
                        throw new AssertionError("no point is compacted");
                    }
                };
        Reads following = reads(store.reader(), waiting, Runnable::run);
        CompletableFuture<Reply<OpResult.Range>> range =
                following.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        Op serializable = new Op.Range(serializable(ALL));
        assertThat(following.range(serializable(ALL), Tenant.SERVER, OPEN)).isCompleted();
        assertThat(following.txn(Txn.of(serializable), 100, Tenant.SERVER, OPEN)).isCompleted();
        Txn mixed =
                new Txn(
                        List.of(),
                        List.of(serializable),
                        List.of(new Op.Range(RangeQuery.of(ALL))));
        assertThat(following.txn(mixed, 100, Tenant.SERVER, OPEN)).isNotDone();
        assertThat(range).isNotDone();
        store.put("a", "2");
        point.complete(store.revisions().committed());
        assertThat(range.join().answer().revision()).isEqualTo(3);
    }

    @Test
    void aFailedReadPointFailsTheRead() {
        ReadPoints failing =
                new ReadPoints() {
                    @Override
                    public ReadPoint own() {
                        throw new IllegalStateException("not yet");
                    }

                    @Override
                    public CompletionStage<ReadPoint> linearizable() {
                        return CompletableFuture.failedStage(
                                new BackendException(ErrorKind.NO_LEADER));
                    }

                    @Override
                    public CompletionStage<ReadPoint> reached(long revision) {
                        throw new AssertionError("no point is compacted");
                    }
                };
        Reads following = reads(store.reader(), failing, Runnable::run);
        assertFails(ErrorKind.NO_LEADER, following.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        assertFails(ErrorKind.INTERNAL, following.range(serializable(ALL), Tenant.SERVER, OPEN));
        assertThat(following.heldBytes()).isZero();
    }

    @Test
    void aFullPoolMeansTooManyRequests() {
        Reads full =
                reads(
                        store.reader(),
                        points,
                        task -> {
                            throw new RejectedExecutionException("full");
                        });
        assertFails(
                ErrorKind.TOO_MANY_REQUESTS, full.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        assertThat(full.heldBytes()).isZero();
    }

    private static Reads reads(RangeReader reader, ReadPoints points, Executor pool) {
        ReadSettings settings =
                new ReadSettings(ReadSettings.RESPONSE_BYTES_MIN, 4, 1 << 20, 1 << 20);
        return new Reads(
                reader, points, new FairReaders(pool, () -> 0), BudgetTiers.of(settings), settings);
    }

    private static void assertFails(ErrorKind kind, CompletableFuture<?> future) {
        assertThatThrownBy(future::join)
                .cause()
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
