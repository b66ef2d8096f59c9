package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.step;
import static io.brain.storage.rocksdb.Stores.thrown;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Readers, while a failed engine is replaced. */
final class ReplacementTest extends FailingStore {
    /** In milliseconds: longer than any test waits. */
    private static final long LONG = 300_000;

    @Test
    void aReaderMayFinishBeforeTheEngineIsReplaced() throws Exception {
        reopen(new EngineSlot.Timeouts(LONG, LONG, LONG));
        CompletableFuture<CommitResult> resolved;
        CompletableFuture<String> waiting;
        try (Snapshot snapshot = store.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            uncertain(commitWith(step(2), without(ioError)));
            resolved = store.resolve(step(2)).toCompletableFuture();
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(resolved).isNotDone();
            assertThat(cursor.next()).isTrue();
            assertThat(snapshot.get(bytes("at1"))).isEqualTo(bytes("fence 1"));
            snapshot.cursor(KeyRange.ALL, Cursor.Direction.REVERSE).close();
            waiting = CompletableFuture.supplyAsync(() -> get(store, "at1"));
            TimeUnit.MILLISECONDS.sleep(50);
            assertThat(waiting).as("a new reader waits").isNotDone();
        }
        unavailable(await(resolved));
        assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo("fence 1");
    }

    @Test
    void aSlowReaderIsEnded() {
        reopen(new EngineSlot.Timeouts(LONG, 20, LONG));
        CompletableFuture<CommitResult> resolved;
        try (Snapshot snapshot = store.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            uncertain(commitWith(step(2), without(ioError)));
            resolved = store.resolve(step(2)).toCompletableFuture();
            thrown(
                    Kind.UNAVAILABLE,
                    () -> {
                        while (cursor.seek(bytes("at1"))) {
                            TimeUnit.MILLISECONDS.sleep(1);
                        }
                    });
            thrown(Kind.UNAVAILABLE, () -> snapshot.get(bytes("at1")));
            assertThat(resolved).isNotDone();
        }
        unavailable(await(resolved));
        assertThat(get(store, "at1")).isEqualTo("fence 1");
    }

    @Test
    void aReaderThatStaysPutsTheReplacementOff() throws Exception {
        reopen(new EngineSlot.Timeouts(10, 10, 100));
        Snapshot stays = store.snapshot();
        uncertain(commitWith(step(2), without(ioError)));

        boolean refused = false;
        while (!refused) {
            // A new reader has to come in the time of one attempt: that can take several.
            var resolved = store.resolve(step(2)).toCompletableFuture();
            while (!refused && !resolved.isDone()) {
                refused = isNewReaderRefused();
            }
            assertThat(uncertain(await(resolved))).isEqualTo(Kind.UNAVAILABLE);
        }
        assertThat(get(store, "at1")).as("reads go on").isEqualTo("fence 1");
        assertThat(stays.get(bytes("at1"))).isEqualTo(bytes("fence 1"));
        unavailable(await(store.commit(step(2))));

        stays.close();
        unavailable(resolvedInTheEnd(step(2)));
        assertThat(await(store.commit(step(2)))).isInstanceOf(CommitResult.Committed.class);
    }

    private boolean isNewReaderRefused() {
        try {
            store.snapshot().close();
            return false;
        } catch (StorageException e) {
            assertThat(e).hasMessageContaining("reopened");
            assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
            return true;
        }
    }

    /** How the batch ended, asked until the engine could be replaced. */
    private CommitResult resolvedInTheEnd(WriteBatch batch) throws InterruptedException {
        CommitResult end = await(store.resolve(batch));
        while (end instanceof CommitResult.Uncertain) {
            TimeUnit.MILLISECONDS.sleep(10);
            end = await(store.resolve(batch));
        }
        return end;
    }

    @Test
    void whatCannotBeReopenedNowIsTriedAgain() throws Exception {
        reopen(new EngineSlot.Timeouts(10, LONG, LONG));
        uncertain(commitWith(step(2), afterwards(ioError)));
        Path current = Stores.file(directory, "CURRENT");
        Path away = directory.resolve("away");
        Files.move(current, away);

        assertThat(uncertain(await(store.resolve(step(2))))).isEqualTo(Kind.CORRUPT);
        assertThat(unavailable(await(store.commit(step(3))))).isEqualTo(Kind.CORRUPT);
        thrown(Kind.CORRUPT, () -> store.snapshot());

        Files.move(away, current);
        assertThat(resolvedInTheEnd(step(2))).isInstanceOf(CommitResult.Committed.class);
        assertThat(get(store, "at2")).isEqualTo("fence 2");
    }

    @Test
    void readersAndReplacementsDoNotMeet() throws Exception {
        reopen(new EngineSlot.Timeouts(LONG, LONG, LONG));
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(threads.submit(() -> readUntil(stop)));
        }
        int last = 1;
        for (int round = 0; round < 25; round++) {
            WriteBatch step = step(last + 1);
            boolean lands = round % 2 == 0;
            uncertain(commitWith(step, lands ? afterwards(ioError) : without(ioError)));
            CommitResult end = await(store.resolve(step));
            assertThat(end)
                    .isInstanceOf(
                            lands ? CommitResult.Committed.class : CommitResult.Unavailable.class);
            last += lands ? 1 : 0;
        }
        stop.set(true);
        threads.shutdown();
        for (Future<Integer> reader : readers) {
            assertThat(reader.get(1, TimeUnit.MINUTES)).isPositive();
        }
        assertThat(get(store, "fence")).isEqualTo("fence " + last);
    }

    /** Reads all the time; each snapshot must show the fence and what came with it. */
    private int readUntil(AtomicBoolean stop) {
        int reads = 0;
        do {
            try (Snapshot snapshot = store.snapshot();
                    Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.REVERSE)) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.key()).isEqualTo(bytes("fence"));
                String number = cursor.value().toString().substring("fence ".length());
                assertThat(snapshot.get(bytes("at" + number))).isEqualTo(cursor.value());
                reads++;
            }
        } while (!stop.get());
        return reads;
    }
}
