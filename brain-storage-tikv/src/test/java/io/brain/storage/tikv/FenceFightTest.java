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
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes take the fence from each other, pause in the middle, and meet a store that stalls.
 * Afterwards the log has no hole and no foreign batch, every acknowledged batch is in it exactly
 * once, and no refused one is.
 */
@Tag("peer")
@Timeout(300)
final class FenceFightTest {
    private static final int NODES = 3;
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("fight.s", 20));
    private static final Bytes FENCE = Bytes.utf8("fight/fence");

    private static TestBed bed;

    /** By batch: its revision. */
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();

    private final Map<String, Long> refused = new ConcurrentHashMap<>();
    private final AtomicInteger takeovers = new AtomicInteger();
    private final AtomicInteger uncertain = new AtomicInteger();
    private volatile boolean over;

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

    /** What the fence holds: who leads, its batch number, and the last revision. */
    private record Fence(int epoch, int batch, long revision) {
        Bytes bytes() {
            return Bytes.utf8(epoch + ":" + batch + ":" + revision);
        }

        static Fence of(Bytes bytes) {
            String[] parts = bytes.toString().split(":", -1);
            return new Fence(
                    Integer.parseInt(parts[0]),
                    Integer.parseInt(parts[1]),
                    Long.parseLong(parts[2]));
        }
    }

    private static Bytes log(long revision) {
        return Bytes.utf8(String.format(Locale.ROOT, "fight/log/%08d", revision));
    }

    private static Bytes data(String batch) {
        return Bytes.utf8("zz/fight/" + batch);
    }

    @Test
    void nothingIsLostDoubledOrTorn() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(NODES);
        try (KvStorage storage = bed.open()) {
            Bytes first = new Fence(0, 0, 0).bytes();
            assertThat(end(storage, WriteBatch.builder().putIfAbsent(FENCE, first).build()))
                    .isInstanceOf(CommitResult.Committed.class);
            List<Future<?>> nodes = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                Random random = new Random(node);
                nodes.add(threads.submit(() -> fight(random)));
            }
            stallNowAndThen();
            over = true;
            for (Future<?> node : nodes) {
                node.get(1, TimeUnit.MINUTES);
            }
            check(storage);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void stallNowAndThen() throws InterruptedException {
        Random random = new Random(99);
        long end = System.nanoTime() + LENGTH.toNanos();
        while (System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(500));
            bed.stallStore();
            TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(600));
            bed.resumeStore();
        }
    }

    private void fight(Random random) {
        try (KvStorage storage =
                bed.open(
                        "rpc-timeout-ms", "300",
                        "read-timeout-ms", "2000",
                        "commit-timeout-ms", "1000",
                        "lock-ttl-ms", "300")) {
            while (!over) {
                sleep(random.nextInt(1000));
                lead(storage, random);
            }
        }
    }

    /** Takes the fence, and writes until it is lost. */
    private void lead(KvStorage storage, Random random) {
        if (random.nextBoolean()) {
            // Whether that can be done or not, and whoever it hits.
            storage.fenceOff(List.of(FENCE))
                    .toCompletableFuture()
                    .exceptionally(failure -> null)
                    .join();
        }
        Fence held;
        try (Snapshot snapshot = storage.snapshot()) {
            held = Fence.of(snapshot.get(FENCE));
        } catch (StorageException away) {
            return;
        }
        Fence taken = new Fence(held.epoch() + 1, random.nextInt(1 << 30), held.revision());
        if (!(end(storage, step(held, taken).build()) instanceof CommitResult.Committed)) {
            return;
        }
        takeovers.incrementAndGet();
        Fence fence = taken;
        while (!over) {
            Fence next = new Fence(fence.epoch(), fence.batch() + 1, fence.revision() + 1);
            String name = next.epoch() + "-" + next.batch();
            WriteBatch batch =
                    step(fence, next)
                            .put(log(next.revision()), Bytes.utf8(name))
                            .put(data(name), Bytes.utf8("" + next.revision()))
                            .build();
            if (!(end(storage, batch) instanceof CommitResult.Committed)) {
                refused.put(name, next.revision());
                return;
            }
            acknowledged.put(name, next.revision());
            fence = next;
            if (random.nextInt(40) == 0) {
                sleep(random.nextInt(600));
            }
        }
    }

    private static WriteBatch.Builder step(Fence from, Fence to) {
        return WriteBatch.builder().compareAndSet(FENCE, from.bytes(), to.bytes());
    }

    /** How the batch ended, once that is certain. */
    private CommitResult end(KvStorage storage, WriteBatch batch) {
        CommitResult end = storage.commit(batch).toCompletableFuture().join();
        while (end instanceof CommitResult.Uncertain) {
            uncertain.incrementAndGet();
            end = storage.resolve(batch).toCompletableFuture().join();
        }
        return end;
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void check(KvStorage storage) {
        Map<String, Long> landed = new ConcurrentHashMap<>();
        try (Snapshot snapshot = storage.snapshot()) {
            long last = Fence.of(snapshot.get(FENCE)).revision();
            for (long revision = 1; revision <= last; revision++) {
                Bytes name = snapshot.get(log(revision));
                assertThat(name).as("log entry %d", revision).isNotNull();
                assertThat(landed.put(name.toString(), revision)).as("twice: " + name).isNull();
                assertThat(snapshot.get(data(name.toString())))
                        .as("data of %s", name)
                        .isEqualTo(Bytes.utf8("" + revision));
            }
            assertThat(snapshot.get(log(last + 1))).as("beyond the fence").isNull();
        }
        System.out.printf(
                "summary: fight for the fence: %d batches, %d take-overs, %d refused, %d times"
                        + " uncertain%n",
                landed.size(), takeovers.get(), refused.size(), uncertain.get());
        assertThat(landed).isEqualTo(acknowledged);
        assertThat(Collections.disjoint(landed.keySet(), refused.keySet())).isTrue();
        assertThat(takeovers.get()).isGreaterThan(3);
    }
}
