package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starting, stopping, and going on while PD or the store is away: all in bounded time. */
@Tag("peer")
@Timeout(120)
final class TikvLifeTest {
    private static final Duration BOUND = Duration.ofSeconds(15);

    private static TestBed bed;

    @BeforeAll
    static void startTestBed(@TempDir Path directory) {
        bed = TestBed.start(directory);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    private static void isUnavailableSoon(ThrowingCallable call) {
        long began = System.nanoTime();
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StorageException.class,
                        e -> {
                            assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
                            assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
                        });
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);
    }

    private static KvStorage impatient() {
        return bed.open(
                "rpc-timeout-ms", "300", "read-timeout-ms", "1000", "commit-timeout-ms", "1000");
    }

    /** PD may have to become the leader again. */
    private static void resumePd() {
        bed.resumePd();
        bed.open("read-timeout-ms", "60000").close();
    }

    private static CommitResult put(KvStorage storage, String key, String value) throws Exception {
        WriteBatch batch = WriteBatch.builder().put(Bytes.utf8(key), Bytes.utf8(value)).build();
        return storage.commit(batch).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    @Test
    void startingWithoutPdSaysWhatToDo() throws Exception {
        String endpoint = "127.0.0.1:" + FreePorts.next();
        isUnavailableSoon(() -> new TikvStorageFactory().open(Map.of("pd-endpoints", endpoint)));
        assertThatThrownBy(() -> new TikvStorageFactory().open(Map.of("pd-endpoints", endpoint)))
                .hasMessageContaining(endpoint)
                .hasMessageContaining("pd-endpoints");
    }

    @Test
    void startingWithAPdThatDoesNotAnswerEnds() {
        bed.stallPd();
        try {
            isUnavailableSoon(TikvLifeTest::impatient);
        } finally {
            resumePd();
        }
    }

    @Test
    void openingAndClosingLeavesNoThreads() throws Exception {
        bed.open().close(); // what is loaded once stays
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        for (int i = 0; i < 3; i++) {
            KvStorage storage = bed.open();
            put(storage, "life", "1");
            storage.close();
        }
        Set<String> left = Set.of("?");
        for (int i = 0; i < 100 && !left.isEmpty(); i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            left =
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> !before.contains(thread) && !thread.isDaemon())
                            .map(Thread::getName)
                            .collect(Collectors.toSet());
        }
        assertThat(left).isEmpty();
    }

    @Test
    void withoutPdWhatIsKnownIsReadAndNothingIsCommitted() throws Exception {
        try (KvStorage storage = impatient()) {
            continuesWith(storage, "1");
            long timestamp = storage.timestamp();
            bed.stallPd();
            try {
                isUnavailableSoon(storage::timestamp);
                try (Snapshot snapshot = storage.snapshotAt(timestamp)) {
                    assertThat(snapshot.get(Bytes.utf8("known"))).isEqualTo(Bytes.utf8("1"));
                }
                assertThat(put(storage, "known", "2")).isInstanceOf(CommitResult.Unavailable.class);
            } finally {
                resumePd();
            }
            continuesWith(storage, "3");
            try (Snapshot snapshot = storage.snapshot()) {
                assertThat(snapshot.get(Bytes.utf8("known"))).isEqualTo(Bytes.utf8("3"));
            }
        }
    }

    /** An impatient storage may have to try more than once. */
    private static void continuesWith(KvStorage storage, String value) throws Exception {
        CommitResult end = put(storage, "known", value);
        for (int i = 0; i < 20 && !(end instanceof CommitResult.Committed); i++) {
            end = put(storage, "known", value);
        }
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void withoutTheStoreReadsEndAndSoDoesClose() throws Exception {
        KvStorage storage = impatient();
        put(storage, "k", "1");
        long timestamp = storage.timestamp();
        bed.stallStore();
        try {
            try (Snapshot snapshot = storage.snapshotAt(timestamp)) {
                isUnavailableSoon(() -> snapshot.get(Bytes.utf8("k")));
            }
            storage.commit(WriteBatch.builder().put(Bytes.utf8("k"), Bytes.utf8("2")).build());
            long began = System.nanoTime();
            storage.close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);
        } finally {
            bed.resumeStore();
        }
    }
}
