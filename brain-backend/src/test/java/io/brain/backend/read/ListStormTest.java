package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many more lists than the budget allows, some cancelled: they queue, and all complete. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ListStormTest {
    private static final int LISTS = 300;
    private static final int KEYS = 60;
    private static final int VALUE_BYTES = 5_000;

    @Test
    void listsQueueForTheBudgetAndAllComplete() throws InterruptedException {
        MemoryStorage storage = new MemoryStorage();
        StoreWriter store = new StoreWriter(storage, new KeyCoder(Bytes.EMPTY));
        for (int i = 0; i < KEYS; i++) {
            store.put("key" + i, "x".repeat(VALUE_BYTES));
        }
        ExecutorService pool = Executors.newFixedThreadPool(4);
        ExecutorService transport = Executors.newFixedThreadPool(2);
        ReadSettings settings =
                new ReadSettings(ReadSettings.RESPONSE_BYTES_MIN, 2 * LISTS, 1 << 20, 1 << 20);
        ReadPoints points = store.points();
        Reads reads =
                new Reads(
                        store.reader(),
                        points,
                        new FairReaders(pool, System::nanoTime),
                        BudgetTiers.of(settings),
                        settings);
        AtomicLong heldMax = new AtomicLong();
        AtomicInteger answered = new AtomicInteger();
        Random random = new Random(1);

        List<Tenant> tenants = List.of(Tenant.SERVER, Tenant.user("a"), Tenant.user("b"));
        List<CompletableFuture<Reply<OpResult.Range>>> lists = new ArrayList<>();
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < LISTS; i++) {
            CompletableFuture<Reply<OpResult.Range>> list =
                    reads.range(RangeQuery.of(ALL), tenants.get(i % tenants.size()), Queries.OPEN);
            lists.add(list);
            sent.add(
                    list.thenAcceptAsync(
                            reply -> {
                                heldMax.accumulateAndGet(reads.heldBytes(), Math::max);
                                assertThat(reply.answer().kvs()).hasSize(KEYS);
                                answered.incrementAndGet();
                                reply.held().close();
                            },
                            transport));
        }
        int cancelled = 0;
        for (CompletableFuture<Reply<OpResult.Range>> list : lists) {
            if (random.nextInt(4) == 0 && list.cancel(false)) {
                cancelled++;
            }
        }
        for (CompletableFuture<Void> end : sent) {
            try {
                end.join();
            } catch (RuntimeException e) {
                assertThat(e).hasCauseInstanceOf(CancellationException.class);
            }
        }
        pool.shutdown();
        transport.shutdown();
        assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(transport.awaitTermination(1, TimeUnit.MINUTES)).isTrue();

        assertThat(answered.get()).isEqualTo(LISTS - cancelled);
        assertThat(heldMax.get()).isBetween(1L, settings.responseBytesMax());
        assertThat(reads.heldBytes()).isZero();
        storage.checkNoOpenSnapshots();
    }
}
