package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Batches under way while the store stops answering, at random moments. */
@Tag("peer")
@Timeout(180)
final class StalledStoreTest {
    private static final int ROUNDS = Integer.getInteger("stall.rounds", 12);

    private static TestBed bed;

    private final String name = UUID.randomUUID().toString();
    private final Random random = new Random(Long.getLong("seed", 7));

    /** Steps that were acknowledged, or resolved as landed. */
    private final List<Long> landed = new ArrayList<>();

    private int uncertain;
    private int unavailable;

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

    private Bytes fence() {
        return Bytes.utf8("fence " + name);
    }

    private Bytes log(long step) {
        return Bytes.utf8(String.format(Locale.ROOT, "log %s %08d", name, step));
    }

    private static Bytes number(long number) {
        return Bytes.utf8(Long.toString(number));
    }

    private static CommitResult await(CompletionStage<CommitResult> stage) throws Exception {
        return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    /** A value that is never stored twice, as a fence's is not. */
    private Bytes fenceValue(long step, int attempt) {
        return Bytes.utf8(step + " by " + attempt);
    }

    @Test
    void everyBatchIsResolvedAsItEnded() throws Exception {
        try (KvStorage patient = bed.open();
                KvStorage storage = bed.open("rpc-timeout-ms", "300", "commit-timeout-ms", "800")) {
            Bytes held = fenceValue(0, 0);
            assertThat(await(patient.commit(WriteBatch.builder().put(fence(), held).build())))
                    .isInstanceOf(CommitResult.Committed.class);
            int attempt = 0;
            long step = 1;
            for (int round = 0; round < ROUNDS; round++) {
                CompletableFuture<Void> stall = stallSoon();
                // At least as long as the stall, so that a batch meets it.
                while (!stall.isDone() || step % 50 != 0) {
                    Bytes next = fenceValue(step, ++attempt);
                    WriteBatch batch =
                            WriteBatch.builder()
                                    .compareAndSet(fence(), held, next)
                                    .put(log(step), number(attempt))
                                    .build();
                    if (landed(storage, batch)) {
                        landed.add((long) attempt);
                        held = next;
                        step++;
                    }
                }
                stall.get(1, TimeUnit.MINUTES);
            }
            assertThat(storedSteps(storage, step)).isEqualTo(landed);
            assertThat(uncertain + unavailable).as("batches that met a stall").isPositive();
            System.out.println(
                    "summary: stalled store: "
                            + landed.size()
                            + " batches landed; "
                            + uncertain
                            + " uncertain, "
                            + unavailable
                            + " unavailable; "
                            + storage.stats());
        }
    }

    @Test
    void readsFailUntilTheStoreAnswersAPing() {
        try (KvStorage storage = bed.open("rpc-timeout-ms", "500")) {
            assertThat(read(storage)).isTrue();
            bed.stallStore();
            assertThat(read(storage)).isFalse();
            long start = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThat(read(storage)).isFalse();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("half of what they would wait for")
                    .isLessThan(Duration.ofSeconds(5));
            bed.resumeStore();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!read(storage)) {
                assertThat(end - System.nanoTime()).isPositive();
            }
        } finally {
            bed.resumeStore();
        }
    }

    private boolean read(KvStorage storage) {
        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(fence())).isNull();
            return true;
        } catch (StorageException e) {
            assertThat(e.kind()).isEqualTo(StorageException.Kind.UNAVAILABLE);
            return false;
        }
    }

    /** Commits, and has it resolved until that is told. */
    private boolean landed(KvStorage storage, WriteBatch batch) throws Exception {
        CommitResult end = await(storage.commit(batch));
        if (end instanceof CommitResult.Uncertain) {
            uncertain++;
            while (end instanceof CommitResult.Uncertain) {
                end = await(storage.resolve(batch));
            }
        } else if (end instanceof CommitResult.Unavailable) {
            unavailable++;
        }
        assertThat(end).isNotInstanceOf(CommitResult.Conflict.class);
        return end instanceof CommitResult.Committed;
    }

    private CompletableFuture<Void> stallSoon() {
        long before = random.nextInt(40);
        long during = 400L + random.nextInt(900);
        return CompletableFuture.runAsync(
                () -> {
                    sleep(before);
                    bed.stallStore();
                    sleep(during);
                    bed.resumeStore();
                });
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The attempts that are in the store, step by step; fails for a step that is missing. */
    private List<Long> storedSteps(KvStorage storage, long end) {
        List<Long> stored = new ArrayList<>();
        try (Snapshot snapshot = storage.snapshot()) {
            for (long step = 1; step < end; step++) {
                Bytes value = snapshot.get(log(step));
                assertThat(value).as("step " + step).isNotNull();
                stored.add(Long.parseLong(value.toString()));
            }
            assertThat(snapshot.get(log(end))).as("a step that was never told").isNull();
        }
        return stored;
    }
}
