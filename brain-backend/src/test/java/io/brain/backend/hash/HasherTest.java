package io.brain.backend.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HasherTest {
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final MemoryStorage memory =
            new MemoryStorage(Runnable::run, Set.of(StorageTrait.EXCLUSIVE_OPEN));
    private final Queue<Runnable> background = new ArrayDeque<>();
    private Runnable onSnapshot = () -> {};
    private final Store store =
            new Store(
                    new ForwardingKvStorage(memory) {
                        @Override
                        public Snapshot snapshot() {
                            onSnapshot.run();
                            return super.snapshot();
                        }
                    },
                    coder,
                    new Revisions(new ReadPoint(1, 0), -1));
    private final Hasher hasher =
            new Hasher(store, background::add, new HashSettings(10, Path.of("unused")));

    @AfterEach
    void nothingStaysOpen() {
        memory.checkNoOpenSnapshots();
    }

    @Test
    void hashesAreComputedOneAtATimeInOrder() {
        List<String> order = new ArrayList<>();
        CompletionStage<KvHash> first = hasher.history(0);
        CompletionStage<StoreHash> second = hasher.everything();
        CompletionStage<KvHash> third = hasher.history(0);
        third.thenRun(() -> order.add("third"));
        second.thenRun(() -> order.add("second"));
        first.thenRun(() -> order.add("first"));
        assertThat(background).hasSize(1);
        runAll();
        assertThat(order).containsExactly("first", "second", "third");
    }

    @Test
    void waitingRequestsAreLimited() {
        List<CompletableFuture<KvHash>> hashes = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            hashes.add(hasher.history(0));
        }
        assertThat(failure(hasher.history(0))).isEqualTo(ErrorKind.TOO_MANY_REQUESTS);
        hashes.get(5).cancel(false);
        CompletableFuture<KvHash> replacement = hasher.history(0);
        runAll();
        assertThat(replacement).isCompleted();
        assertThat(hashes.get(16)).isCompleted();
        assertThat(hasher.history(0)).isNotDone();
    }

    @Test
    void cancelledHashIsNotCompleted() {
        put("a", 2);
        CompletableFuture<StoreHash> hash = hasher.everything();
        onSnapshot = () -> hash.cancel(false);
        CompletableFuture<StoreHash> next = hasher.everything();
        background.remove().run();
        assertThat(hash).isCancelled();
        assertThat(background).as("the next one").hasSize(1);
        runAll();
        assertThat(next).isCompleted();
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void hashWithoutReadableStateEndsWhenCancelled() {
        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(5, 1).encode()));
        store.revisions().raiseFloor(5);
        CompletableFuture<KvHash> hash = hasher.history(0);
        onSnapshot = () -> hash.cancel(false);
        runAll();
        assertThat(hash).isDone();
    }

    @Test
    void closeFailsRunningAndWaitingRequests() {
        put("a", 2);
        CompletableFuture<StoreHash> running = hasher.everything();
        CompletableFuture<KvHash> waiting = hasher.history(0);
        onSnapshot = hasher::close;
        runAll();
        assertThat(failure(running)).isEqualTo(ErrorKind.STOPPED);
        assertThat(failure(waiting)).isEqualTo(ErrorKind.STOPPED);
        assertThat(failure(hasher.history(0))).isEqualTo(ErrorKind.STOPPED);
    }

    @Test
    void hashOfTheStoreDependsOnEveryRecord() {
        List<Integer> hashes = new ArrayList<>();
        hashes.add(storeHash());
        assertThat(hashes).as("hash of an empty store").doesNotContain(0);
        put("a", 2);
        hashes.add(storeHash());
        put("b", 2);
        hashes.add(storeHash());
        commit(WriteBatch.builder().put(coder.logKey(2, 0), Bytes.utf8("log")));
        hashes.add(storeHash());
        commit(WriteBatch.builder().put(coder.leaseKey(7), Bytes.utf8("lease")));
        hashes.add(storeHash());
        assertThat(hashes).doesNotHaveDuplicates();
        assertThat(storeHash()).isEqualTo(hashes.get(4));
    }

    private int storeHash() {
        CompletableFuture<StoreHash> hash = hasher.everything();
        runAll();
        return hash.join().hash();
    }

    private void put(String key, long revision) {
        commit(
                WriteBatch.builder()
                        .put(
                                coder.headKey(Bytes.utf8(key)),
                                new VersionRecord(revision, 0, Bytes.utf8("kv")).encode()));
    }

    private void commit(WriteBatch.Builder batch) {
        memory.commit(batch.build()).toCompletableFuture().join();
    }

    private void runAll() {
        while (!background.isEmpty()) {
            background.remove().run();
        }
    }

    private static ErrorKind failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        CompletionException thrown = catchThrowableOfType(CompletionException.class, future::join);
        return ((BackendException) thrown.getCause()).kind();
    }
}
