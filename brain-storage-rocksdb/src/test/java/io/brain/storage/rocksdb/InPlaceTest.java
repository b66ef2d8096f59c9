package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.step;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commits on the caller's thread, and when they are not. */
final class InPlaceTest extends FailingStore {
    private volatile String wroteOn;

    /** A new store looks at its disk first; one that was reopened does so with its next commit. */
    @BeforeEach
    void storeComesToRest() {
        uncertain(commitWith(step(2), without(ioError)));
        unavailable(await(store.resolve(step(2))));
        assertThat(await(store.commit(step(2)))).isInstanceOf(CommitResult.Committed.class);
    }

    private static String me() {
        return Thread.currentThread().getName();
    }

    private CommitResult inPlace(WriteBatch batch) {
        next =
                (engine, bytes, sync) -> {
                    wroteOn = me();
                    engine.write(bytes, sync);
                };
        return await(store.commitInPlace(batch));
    }

    /** A write that waits for {@code released}, once {@code begun}. */
    private static Committer.Writer held(CountDownLatch begun, CountDownLatch released) {
        return (engine, batch, sync) -> {
            begun.countDown();
            Uninterrupted.await(() -> released.await(1, TimeUnit.MINUTES));
            engine.write(batch, sync);
        };
    }

    @Test
    void theCallersThreadWritesAndSyncs() {
        syncs.clear();
        assertThat(inPlace(step(3))).isInstanceOf(CommitResult.Committed.class);
        assertThat(wroteOn).isEqualTo(me());
        assertThat(syncs).containsExactly(true);
        assertThat(get(store, "at3")).isEqualTo("fence 3");
    }

    @Test
    void aLargeBatchIsLeftToTheThread() {
        byte[] large = new byte[100_000];
        WriteBatch batch =
                WriteBatch.builder().put(Stores.bytes("large"), Bytes.wrap(large)).build();
        assertThat(inPlace(batch)).isInstanceOf(CommitResult.Committed.class);
        assertThat(wroteOn).isEqualTo("rocksdb-commit");
    }

    @Test
    void whileTheThreadIsAtWorkNobodyWaitsForIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        next = held(begun, released);
        var first = store.commit(step(3)).toCompletableFuture();
        begun.await();
        var second = store.commitInPlace(step(4)).toCompletableFuture();
        assertThat(second).isNotDone();
        released.countDown();
        assertThat(await(first)).isInstanceOf(CommitResult.Committed.class);
        assertThat(await(second)).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void whatComesDuringACommitInPlaceFollowsIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        next = held(begun, released);
        var first = CompletableFuture.supplyAsync(() -> await(store.commitInPlace(step(3))));
        begun.await();
        var second = store.commit(step(4)).toCompletableFuture();
        var third = store.commitInPlace(step(5)).toCompletableFuture();
        assertThat(get(store, "at2")).as("reads go on").isNotNull();
        var closed = CompletableFuture.runAsync(store::close);
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
        assertThat(closed).isNotDone();
        released.countDown();
        assertThat(first.get()).isInstanceOf(CommitResult.Committed.class);
        assertThat(await(second)).isInstanceOf(CommitResult.Committed.class);
        assertThat(await(third)).isInstanceOf(CommitResult.Committed.class);
        closed.get(1, TimeUnit.MINUTES);
    }

    @Test
    void closeWaitsForACommitInPlace() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        next = held(begun, released);
        var commit = CompletableFuture.supplyAsync(() -> await(store.commitInPlace(step(3))));
        begun.await();
        var closed = CompletableFuture.runAsync(store::close);
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(closed).isNotDone();
        released.countDown();
        assertThat(commit.get()).isInstanceOf(CommitResult.Committed.class);
        closed.get(1, TimeUnit.MINUTES);
        open(EngineSlot.Timeouts.STANDARD);
        assertThat(get(store, "at3")).isEqualTo("fence 3");
    }

    @Test
    void theEngineIsReopenedByTheThreadAfterAFailureInPlace() {
        next = afterwards(ioError);
        uncertain(await(store.commitInPlace(step(3))));

        assertThat(inPlace(step(3)))
                .as("on the new engine")
                .isInstanceOf(CommitResult.Conflict.class);
        assertThat(wroteOn).isNull();
        assertThat(await(store.resolve(step(3)))).isInstanceOf(CommitResult.Committed.class);
        next = null;
        assertThat(inPlace(step(4))).isInstanceOf(CommitResult.Committed.class);
        assertThat(wroteOn).isEqualTo("rocksdb-commit");
        assertThat(inPlace(step(5))).isInstanceOf(CommitResult.Committed.class);
        assertThat(wroteOn).isEqualTo(me());
    }
}
