package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.fair.Tenant;
import io.brain.backend.read.ResponseBudget.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers that reserve, grow, release, wait, send and cancel in any order. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResponseBudgetRandomTest {
    private static final long BUDGET = 1000;
    private static final int SEEDS = 60;
    private static final int READERS = 60;
    private static final int STEPS_MAX = 20_000;

    /** A read like {@link ReadTask}, one step at a time. */
    private static final class Reader {
        private final ResponseBudget budget;
        private final long size;
        private final Tenant tenant;
        private CompletableFuture<Grant> reserved;
        private long collected;
        private boolean sending;
        private boolean ended;
        private int attempts;

        Reader(ResponseBudget budget, long size, int tenantNumber) {
            this.budget = budget;
            this.size = size;
            this.tenant = Tenant.user("t" + tenantNumber);
            reserved = budget.reserve(tenant, 10);
        }

        boolean isWaiting() {
            return !ended && !reserved.isDone();
        }

        void step(Random random) {
            if (isWaiting()) {
                if (random.nextInt(400) == 0) {
                    reserved.cancel(false);
                    ended = true;
                }
                return;
            }
            Grant grant = reserved.join();
            if (sending) {
                grant.close();
                ended = true;
                return;
            }
            collected = Math.min(size, collected + 1 + random.nextInt(50));
            if (!grant.grow(collected)) {
                long wanted = Math.max(collected, 2 * grant.bytes());
                grant.close();
                collected = 0;
                attempts++;
                reserved = budget.reserve(tenant, wanted);
            } else if (collected == size) {
                grant.trim(size);
                sending = true;
            }
        }
    }

    @Test
    void everyReaderCompletesWithinTheBudget() {
        int restarts = 0;
        int huge = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ResponseBudget budget = new ResponseBudget(BUDGET);
            List<Reader> readers = new ArrayList<>();
            List<Reader> all = new ArrayList<>();
            int steps = 0;
            while (all.size() < READERS || !readers.isEmpty()) {
                assertThat(steps++).as("seed %d: steps", seed).isLessThan(STEPS_MAX);
                if (all.size() < READERS && random.nextInt(3) == 0) {
                    Reader reader = new Reader(budget, size(random), random.nextInt(4));
                    readers.add(reader);
                    all.add(reader);
                }
                if (!readers.isEmpty()) {
                    readers.get(random.nextInt(readers.size())).step(random);
                    readers.removeIf(reader -> reader.ended);
                }
                check(seed, budget, readers);
            }
            assertThat(budget.held()).as("seed %d", seed).isZero();
            assertThat(budget.waiting()).as("seed %d", seed).isZero();
            restarts += all.stream().mapToInt(reader -> reader.attempts).sum();
            huge += (int) all.stream().filter(reader -> reader.size > BUDGET).count();
        }
        assertThat(restarts).isGreaterThan(SEEDS);
        assertThat(huge).isGreaterThan(SEEDS);
    }

    private static void check(int seed, ResponseBudget budget, List<Reader> readers) {
        List<Reader> holders = readers.stream().filter(reader -> !reader.isWaiting()).toList();
        long held = holders.stream().mapToLong(reader -> reader.reserved.join().bytes()).sum();
        assertThat(budget.held()).as("seed %d: held", seed).isEqualTo(held);
        if (held > BUDGET) {
            assertThat(holders).as("seed %d: beyond the budget", seed).hasSize(1);
        }
        assertThat(budget.waiting())
                .as("seed %d: waiting", seed)
                .isEqualTo(readers.size() - holders.size());
        if (budget.waiting() > 0) {
            assertThat(holders).as("seed %d: a holder can continue", seed).isNotEmpty();
        }
    }

    private static long size(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> BUDGET + random.nextInt(1000);
            case 1, 2, 3 -> 200 + random.nextInt(500);
            default -> 1 + random.nextInt(30);
        };
    }

    @Test
    void anAnswerLargerThanTheBudgetCompletesDespiteSmallOnes() {
        int restarts = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ResponseBudget budget = new ResponseBudget(BUDGET);
            List<Reader> readers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                readers.add(new Reader(budget, 100 + random.nextInt(300), random.nextInt(4)));
            }
            Reader huge = new Reader(budget, 3 * BUDGET, random.nextInt(4));
            int rounds = 0;
            while (!huge.sending) {
                assertThat(rounds++).as("seed %d: rounds", seed).isLessThan(STEPS_MAX);
                if (rounds % 2 == 0) {
                    readers.add(new Reader(budget, 1 + random.nextInt(300), random.nextInt(4)));
                }
                if (!huge.isWaiting()) {
                    huge.step(random);
                }
                readers.forEach(reader -> reader.step(random));
                readers.removeIf(reader -> reader.ended);
            }
            assertThat(huge.attempts).as("seed %d: attempts", seed).isLessThanOrEqualTo(8);
            restarts += huge.attempts;
        }
        assertThat(restarts).isGreaterThan(SEEDS);
    }

    @Test
    void threadsLoseNoByteAndNoWaiter() throws InterruptedException {
        ResponseBudget budget = new ResponseBudget(BUDGET);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        int reads = 5_000;
        CountDownLatch ended = new CountDownLatch(reads);
        for (int i = 0; i < reads; i++) {
            pool.execute(() -> read(budget, 10, pool, ended));
        }
        assertThat(ended.await(1, TimeUnit.MINUTES)).as("%d left", ended.getCount()).isTrue();
        pool.shutdown();
        assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(budget.held()).isZero();
        assertThat(budget.waiting()).isZero();
    }

    private static void read(
            ResponseBudget budget, long bytes, ExecutorService pool, CountDownLatch ended) {
        Tenant tenant = Tenant.user("t" + ThreadLocalRandom.current().nextInt(4));
        CompletableFuture<Grant> reserved = budget.reserve(tenant, bytes);
        if (ThreadLocalRandom.current().nextInt(10) == 0 && reserved.cancel(false)) {
            ended.countDown();
            return;
        }
        reserved.thenAcceptAsync(
                        grant -> {
                            long size = ThreadLocalRandom.current().nextLong(1, 2 * BUDGET);
                            if (grant.grow(size)) {
                                grant.trim(size / 2);
                                grant.close();
                                ended.countDown();
                            } else {
                                grant.close();
                                read(budget, 2 * bytes, pool, ended);
                            }
                        },
                        pool)
                .exceptionally(
                        failure -> {
                            throw new AssertionError(failure);
                        });
    }
}
