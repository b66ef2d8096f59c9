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
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Readers, while a failed engine is replaced. */
final class ReplacementTest extends FailingStore {
    @Test
    void aReaderMayFinishBeforeTheEngineIsReplaced() throws Exception {
        CompletableFuture<CommitResult> settled;
        CompletableFuture<String> waiting;
        try (Snapshot snapshot = store.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            uncertain(commitWith(step(2), without(ioError)));
            settled = store.settle(step(2)).toCompletableFuture();
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(settled).isNotDone();
            assertThat(cursor.next()).isTrue();
            assertThat(snapshot.get(bytes("at1"))).isEqualTo(bytes("fence 1"));
            snapshot.cursor(KeyRange.ALL, Cursor.Direction.REVERSE).close();
            waiting = CompletableFuture.supplyAsync(() -> get(store, "at1"));
            TimeUnit.MILLISECONDS.sleep(50);
            assertThat(waiting).as("a new reader waits").isNotDone();
        }
        unavailable(await(settled));
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo("fence 1");
    }

    @Test
    void aSlowReaderIsToldToGo() {
        reopen(new EngineSlot.Patience(10_000, 20, 10_000));
        CompletableFuture<CommitResult> settled;
        try (Snapshot snapshot = store.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            uncertain(commitWith(step(2), without(ioError)));
            settled = store.settle(step(2)).toCompletableFuture();
            thrown(
                    Kind.UNAVAILABLE,
                    () -> {
                        while (cursor.seek(bytes("at1"))) {
                            TimeUnit.MILLISECONDS.sleep(1);
                        }
                    });
            thrown(Kind.UNAVAILABLE, () -> snapshot.get(bytes("at1")));
            assertThat(settled).isNotDone();
        }
        unavailable(await(settled));
        assertThat(get(store, "at1")).isEqualTo("fence 1");
    }

    @Test
    void aReaderThatStaysPutsTheReplacementOff() throws Exception {
        reopen(new EngineSlot.Patience(10, 10, 100));
        Snapshot stays = store.snapshot();
        uncertain(commitWith(step(2), without(ioError)));

        CompletableFuture<CommitResult> settled = store.settle(step(2)).toCompletableFuture();
        String refusal = thrown(Kind.UNAVAILABLE, this::readUntilRefused);
        assertThat(refusal).contains("reopened");
        assertThat(uncertain(await(settled))).isEqualTo(Kind.UNAVAILABLE);
        assertThat(get(store, "at1")).as("reads go on").isEqualTo("fence 1");
        assertThat(stays.get(bytes("at1"))).isEqualTo(bytes("fence 1"));
        unavailable(await(store.commit(step(2))));

        stays.close();
        CommitResult end = await(store.settle(step(2)));
        for (int i = 0; i < 50 && end instanceof CommitResult.Uncertain; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            end = await(store.settle(step(2)));
        }
        unavailable(end);
        assertThat(await(store.commit(step(2)))).isInstanceOf(CommitResult.Committed.class);
    }

    private void readUntilRefused() throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            store.snapshot().close();
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    void whatCannotBeReopenedNowIsTriedAgain() throws Exception {
        uncertain(commitWith(step(2), afterwards(ioError)));
        Path current = Stores.file(directory, "CURRENT");
        Path away = directory.resolve("away");
        Files.move(current, away);

        assertThat(uncertain(await(store.settle(step(2))))).isEqualTo(Kind.CORRUPT);
        assertThat(unavailable(await(store.commit(step(3))))).isEqualTo(Kind.CORRUPT);
        thrown(Kind.CORRUPT, () -> store.snapshot());

        Files.move(away, current);
        CommitResult end = await(store.settle(step(2)));
        for (int i = 0; i < 50 && end instanceof CommitResult.Uncertain; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            end = await(store.settle(step(2)));
        }
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
        assertThat(get(store, "at2")).isEqualTo("fence 2");
    }

    @Test
    void readersAndReplacementsDoNotMeet() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(CompletableFuture.supplyAsync(() -> readUntil(stop)));
        }
        int last = 1;
        for (int round = 0; round < 25; round++) {
            WriteBatch step = step(last + 1);
            boolean lands = round % 2 == 0;
            uncertain(commitWith(step, lands ? afterwards(ioError) : without(ioError)));
            CommitResult end = await(store.settle(step));
            assertThat(end)
                    .isInstanceOf(
                            lands ? CommitResult.Committed.class : CommitResult.Unavailable.class);
            last += lands ? 1 : 0;
        }
        stop.set(true);
        for (CompletableFuture<Integer> reader : readers) {
            assertThat(reader.get(20, TimeUnit.SECONDS)).isPositive();
        }
        assertThat(get(store, "fence")).isEqualTo("fence " + last);
    }

    /** Reads all the time; each snapshot must show the fence and what came with it. */
    private int readUntil(AtomicBoolean stop) {
        int reads = 0;
        while (!stop.get()) {
            try (Snapshot snapshot = store.snapshot();
                    Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.REVERSE)) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.key()).isEqualTo(bytes("fence"));
                String number = cursor.value().toString().substring("fence ".length());
                assertThat(snapshot.get(bytes("at" + number))).isEqualTo(cursor.value());
                reads++;
            }
        }
        return reads;
    }
}
