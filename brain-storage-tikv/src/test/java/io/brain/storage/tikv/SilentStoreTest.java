package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.GetResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two regions on two stores, of which the second is paused. */
@Timeout(120)
final class SilentStoreTest {
    private static final int THREADS = 2;

    /** A read that meets the silence first waits for 7.5 s; without SilentStores 30 s. */
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Less than the timeout of a request. */
    private static final Duration AT_ONCE = Duration.ofMillis(5_500);

    private final ExecutorService readers = Executors.newFixedThreadPool(THREADS);
    private StubCluster cluster;
    private KvStorage storage;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        cluster.lead(2, 2);
        storage = cluster.open("rpc-timeout-ms", "6000", "read-timeout-ms", "30000");
        assertThat(get("apple")).isNull();
        assertThat(get("zone")).isNull();
        cluster.pause(2);
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        cluster.close();
        readers.shutdownNow();
    }

    private static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    private Bytes get(String key) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(bytes(key));
        }
    }

    private void getMany(String... keys) {
        try (Snapshot snapshot = storage.snapshot()) {
            snapshot.get(List.of(keys).stream().map(Bytes::utf8).toList());
        }
    }

    private boolean scan(String from, String to) {
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor =
                        snapshot.cursor(
                                new KeyRange(bytes(from), bytes(to)), Cursor.Direction.FORWARD)) {
            return cursor.next();
        }
    }

    /** As the backend's sequencer does: reads, then commits. */
    private CommitResult put(String key) throws Exception {
        get(key);
        return storage.commit(WriteBatch.builder().put(bytes(key), bytes("1")).build())
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    private static void assertUnavailable(Runnable read) {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(
                        StorageException.class,
                        e -> assertThat(e.kind()).isEqualTo(StorageException.Kind.UNAVAILABLE));
    }

    private static void assertUnavailableAtOnce(Runnable read) {
        long start = System.nanoTime();
        assertUnavailable(read);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(AT_ONCE);
    }

    @Test
    void readsOfOtherStoresGetAThread() {
        for (int i = 0; i < 2 * THREADS; i++) {
            readers.execute(() -> assertUnavailable(() -> get("zone")));
        }

        assertThat(CompletableFuture.supplyAsync(() -> get("apple"), readers)).succeedsWithin(SOON);
        assertThat(CompletableFuture.runAsync(() -> getMany("apple", "bean"), readers))
                .succeedsWithin(AT_ONCE);
        assertThat(CompletableFuture.supplyAsync(() -> scan("apple", "bean"), readers))
                .succeedsWithin(AT_ONCE);
    }

    @Test
    void writesOfOtherStoresGetTheirTurn() throws Exception {
        long start = System.nanoTime();
        assertUnavailable(() -> getMany("zone1", "zone2"));
        for (int i = 0; i < 4; i++) {
            String key = "zone" + i;
            assertThatThrownBy(() -> put(key)).isInstanceOf(StorageException.class);
            assertThat(put("apple" + i)).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
    }

    @Test
    void everyKindOfReadFailsAtOnce() {
        assertUnavailable(() -> get("zone"));

        assertUnavailableAtOnce(() -> get("zone"));
        assertUnavailableAtOnce(() -> getMany("apple", "zone"));
        assertUnavailableAtOnce(() -> scan("apple", "zone"));
        assertUnavailableAtOnce(() -> scan("zebra", "zone"));
    }

    @Test
    void readsFollowTheLeaderToAnotherStore() {
        assertUnavailable(() -> get("zone"));

        cluster.lead(2, 1);
        assertThat(CompletableFuture.supplyAsync(() -> get("zone"))).succeedsWithin(AT_ONCE);
    }

    @Test
    void aStoreThatRespondsAgainServesAtOnce() {
        assertUnavailable(() -> get("zone"));

        cluster.answer(
                2,
                TikvGrpc.getKvGetMethod(),
                request ->
                        GetResponse.newBuilder()
                                .setValue(ByteString.copyFromUtf8("awake"))
                                .build());
        cluster.resume(2);
        assertThat(CompletableFuture.supplyAsync(this::firstValue)).succeedsWithin(AT_ONCE);
        for (int i = 0; i < 10; i++) {
            assertThat(get("zone")).isEqualTo(bytes("awake"));
        }
    }

    @Test
    void readsOfAStoreThatIsDownFailToo() {
        cluster.stop(2);
        for (int i = 0; i < 2 * THREADS; i++) {
            readers.execute(() -> assertUnavailable(() -> get("zone")));
        }

        assertThat(CompletableFuture.supplyAsync(() -> get("apple"), readers)).succeedsWithin(SOON);
        assertUnavailableAtOnce(() -> get("zone"));
        assertUnavailableAtOnce(() -> getMany("apple", "zone"));
    }

    @Test
    void aReadWaitsForAStoreThatStartsAgainSoon() throws Exception {
        cluster.stop(2);
        CompletableFuture<Bytes> read = CompletableFuture.supplyAsync(() -> get("zone"));
        Thread.sleep(500);
        assertThat(read).isNotDone();
        cluster.resume(2);
        cluster.start(2);
        assertThat(read).succeedsWithin(AT_ONCE);
        assertThat(get("zone")).isNull();
    }

    /** The answer to the ping may be a moment late. */
    private Bytes firstValue() {
        while (true) {
            try {
                return get("zone");
            } catch (StorageException e) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void commitsWaitForASilentStore() {
        assertUnavailable(() -> get("zone"));

        CompletableFuture<CommitResult> commit =
                storage.commit(WriteBatch.builder().put(bytes("zone"), bytes("1")).build())
                        .toCompletableFuture();
        assertThat(CompletableFuture.supplyAsync(() -> get("apple"))).succeedsWithin(AT_ONCE);
        assertThat(commit).isNotDone();
        cluster.resume(2);
        assertThat(commit)
                .succeedsWithin(Duration.ofSeconds(10))
                .isInstanceOf(CommitResult.Committed.class);
    }
}
