package io.brain.backend.read;

import static io.brain.backend.read.Queries.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Reply;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Cached short reads run on the caller's thread, all others on reader threads. */
class QuickReadsTest {
    private static final RangeQuery KEY = RangeQuery.of(Queries.key("a"));

    private final CountingStorage engine = new CountingStorage(new MemoryStorage());
    private final StoreWriter store = new StoreWriter(engine, new KeyCoder(Bytes.EMPTY));
    private final Deque<Runnable> readers = new ArrayDeque<>();
    private boolean sure = true;

    @Test
    void aCachedKeyIsReadOnTheCallersThread() {
        store.put("a", "1");
        assertThat(quick(KEY)).isNull();
        engine.reset();
        assertThat(Queries.values(quick(KEY))).containsExactly("1");
        store.put("a", "2");
        assertThat(Queries.values(quick(KEY))).containsExactly("2");
        store.delete("a");
        assertThat(quick(KEY).kvs()).isEmpty();
        assertThat(engine.gets).isZero();
        RangeQuery absent = RangeQuery.of(Queries.key("b"));
        assertThat(quick(absent)).isNull();
        assertThat(quick(absent)).isEqualTo(store.reader().read(absent));
    }

    @Test
    void anUnpublishedChangeIsInvisible() {
        RangeQuery other = RangeQuery.of(Queries.key("b"));
        store.put("a", "1");
        store.reader().read(other);
        store.write().put(Bytes.utf8("b"), Bytes.utf8("2"), 0).store();
        assertThat(quick(other).kvs()).isEmpty();
    }

    @Test
    void cachedShortRangesAndCountsAreReadOnTheCallersThread() {
        for (int i = 0; i < 100; i++) {
            store.put("key" + i, "value");
        }
        RangeQuery first = Queries.limited(Queries.ALL, 1);
        RangeQuery last = Queries.sorted(Queries.ALL, SortTarget.KEY, SortOrder.DESCEND, 1);
        RangeQuery count = Queries.counted(Queries.ALL, 0, RevisionFilter.NONE);
        assertThat(quick(first)).isNull();
        store.reader().read(RangeQuery.of(Queries.ALL));
        for (RangeQuery query : List.of(first, last, count)) {
            assertThat(quick(query)).isEqualTo(store.reader().read(query));
        }
    }

    @Test
    void longRangesOldRevisionsAndUnsureLeadersUseReaderThreads() {
        long first = store.put("a", "1");
        store.put("a", "2");
        store.reader().read(KEY);
        assertThat(quick(RangeQuery.of(Queries.ALL))).isNull();
        assertThat(quick(Queries.at(KeySpan.of(Bytes.utf8("a")), first))).isNull();
        sure = false;
        assertThat(quick(KEY)).isNull();
        assertThat(quick(Queries.serializable(Queries.key("a")))).isNotNull();
    }

    @Test
    void anAnswerWithoutBudgetWaits() {
        store.put("a", "x".repeat(60_000));
        Reads reads = reads(new HeadCache(64 << 20, store.revisions().committed().revision()));
        CompletableFuture<Reply<OpResult.Range>> read = reads.range(KEY, Tenant.SERVER, OPEN);
        readers.remove().run();
        assertThat(read).isDone();
        assertThat(reads.range(KEY, Tenant.SERVER, OPEN)).isDone();
        assertThat(reads.range(KEY, Tenant.SERVER, OPEN)).isDone();
        assertThat(reads.range(KEY, Tenant.SERVER, OPEN))
                .as("the third of 60 KB in 128 KiB")
                .isNotDone();
    }

    @Test
    void aProbeReadsTheEngine() {
        engine.reset();
        CompletableFuture<Reply<Void>> probe = reads(store.known()).probe(false);
        readers.remove().run();
        probe.join().held().close();
        assertThat(engine.gets).isPositive();
    }

    /** The answer; null if a reader thread was needed. */
    private OpResult.Range quick(RangeQuery query) {
        CompletableFuture<Reply<OpResult.Range>> reply =
                reads(store.known()).range(query, Tenant.SERVER, OPEN);
        if (!reply.isDone()) {
            readers.remove().run();
            reply.join().held().close();
            return null;
        }
        reply.join().held().close();
        return reply.join().answer();
    }

    private Reads reads(HeadCache cache) {
        RangeReader reader =
                new RangeReader(
                        new Store(engine, new KeyCoder(Bytes.EMPTY), store.revisions()), cache);
        ReadPoints points =
                new ReadPoints() {
                    @Override
                    public ReadPoint own() {
                        return store.revisions().committed();
                    }

                    @Override
                    public ReadPoint linearizableNow() {
                        return sure ? own() : null;
                    }

                    @Override
                    public CompletionStage<ReadPoint> linearizable() {
                        return CompletableFuture.completedFuture(own());
                    }

                    @Override
                    public CompletionStage<ReadPoint> reached(long revision) {
                        throw new AssertionError("no point is compacted");
                    }
                };
        ReadSettings settings = new ReadSettings(1 << 20, 100_000, 16 << 20, 1 << 20);
        return new Reads(
                reader,
                points,
                new FairReaders(readers::add, () -> 0),
                BudgetTiers.of(settings),
                settings);
    }
}
