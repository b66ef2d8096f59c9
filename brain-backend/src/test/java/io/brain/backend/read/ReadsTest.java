package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.OPEN;
import static io.brain.backend.read.Queries.key;
import static io.brain.backend.read.Queries.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asynchronous reads, with a pool that the test runs. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadsTest {
    private static final long BUDGET = ReadSettings.RESPONSE_BYTES_MIN;
    private static final int READS_MAX = 4;

    private static final int REQUEST_BYTES = 1000;
    private static final int VALUE_BYTES = 5_000;

    private final MemoryStorage storage = new MemoryStorage();
    private final StoreWriter store = new StoreWriter(storage, new KeyCoder(Bytes.EMPTY));
    private final Queue<Runnable> pool = new ArrayDeque<>();
    private final ReadPoints points = store.points();
    private final ReadSettings settings =
            new ReadSettings(BUDGET, READS_MAX, REQUEST_BYTES, 1 << 20);
    private final FairReaders readers = new FairReaders(pool::add, () -> 0);
    private final BudgetTiers budget = BudgetTiers.of(settings);
    private final Reads reads = reads(store.reader(), points);
    private final PinnedReads pinnedReads = new PinnedReads(store.revisions(), readers, budget);

    @AfterEach
    void nothingStaysOpen() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void aReadRunsOnThePoolAndHoldsItsBytesUntilTheyAreReleased() {
        store.put("a", "x".repeat(VALUE_BYTES));
        CompletableFuture<Reply<OpResult.Range>> range =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        assertThat(range).isNotDone();
        runPool();
        assertThat(range).isCompleted();
        assertThat(keys(range.join().answer())).containsExactly("a");
        assertThat(reads.heldBytes()).isBetween((long) VALUE_BYTES, VALUE_BYTES + 200L);
        range.join().held().close();
        range.join().held().close();
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void aReadOnlyTransactionHoldsTheBytesOfAllItsRanges() {
        store.put("a", "x".repeat(VALUE_BYTES));
        Op range = new Op.Range(RangeQuery.of(key("a")));
        Txn txn = new Txn(List.of(), List.of(range, range), List.of());
        CompletableFuture<Reply<OpResult.Txn>> answer = reads.txn(txn, 100, Tenant.SERVER, OPEN);
        runPool();
        assertThat(answer.join().answer().results()).hasSize(2);
        assertThat(reads.heldBytes()).isGreaterThan(2 * VALUE_BYTES);
        answer.join().held().close();
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void aReadSeesEarlierCommits() {
        store.put("a", "1");
        CompletableFuture<Reply<OpResult.Range>> range =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        assertThat(range.join().answer().revision()).isEqualTo(2);
    }

    @Test
    void aReadThatWaitsForItsReadPointHoldsNoBudget() {
        store.put("a", "1");
        CompletableFuture<ReadPoint> point = new CompletableFuture<>();
        ReadPoints unanswered =
                new ReadPoints() {
                    @Override
                    public ReadPoint own() {
                        return store.revisions().committed();
                    }

                    @Override
                    public ReadPoint linearizableNow() {
                        return null;
                    }

                    @Override
                    public CompletableFuture<ReadPoint> linearizable() {
                        return point;
                    }

                    @Override
                    public CompletableFuture<ReadPoint> reached(long revision) {
                        throw new AssertionError("no point is compacted");
                    }
                };
        Reads follower = reads(store.reader(), unanswered);
        CompletableFuture<?> linearizable = follower.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        assertThat(follower.heldBytes()).isZero();
        CompletableFuture<?> serializable =
                follower.range(Queries.serializable(ALL), Tenant.SERVER, OPEN);
        runPool();
        assertThat(serializable).isCompleted();
        assertThat(linearizable).isNotDone();
        point.complete(store.revisions().committed());
        runPool();
        assertThat(linearizable).isCompleted();
    }

    @Test
    void aReadIsCheckedAgainAfterItWaited() {
        store.put("a", "1");
        AtomicInteger checks = new AtomicInteger();
        Runnable permittedOnce =
                () -> {
                    if (checks.incrementAndGet() > 1) {
                        throw new BackendException(ErrorKind.PERMISSION_DENIED);
                    }
                };
        var range = reads.range(RangeQuery.of(ALL), Tenant.SERVER, permittedOnce);
        assertThat(range).isNotDone();
        runPool();
        assertThat(range).isCompletedExceptionally();
        checks.set(0);
        Txn txn = Txn.of(new Op.Range(RangeQuery.of(ALL)));
        var answer = reads.txn(txn, 10, Tenant.SERVER, permittedOnce);
        assertThat(answer).isNotDone();
        runPool();
        assertThat(answer).isCompletedExceptionally();
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void tooManyReadsAtOnceAreRefused() {
        List<CompletableFuture<Reply<OpResult.Range>>> admitted = new ArrayList<>();
        for (int i = 0; i < READS_MAX; i++) {
            admitted.add(reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        }
        assertFails(
                ErrorKind.TOO_MANY_REQUESTS, reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        admitted.get(0).cancel(false);
        assertFails(
                ErrorKind.TOO_MANY_REQUESTS, reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        runPool();
        assertThat(admitted.get(1)).isCompleted();
        CompletableFuture<Reply<OpResult.Range>> later =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        assertThat(later).isCompleted();
    }

    @Test
    void readsWithLongKeysAreRefusedUnlessAlone() {
        RangeQuery longKey = RangeQuery.of(key("k".repeat(REQUEST_BYTES)));
        CompletableFuture<Reply<OpResult.Range>> first = reads.range(longKey, Tenant.SERVER, OPEN);
        assertFails(
                ErrorKind.TOO_MANY_REQUESTS, reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        runPool();
        assertThat(first).isCompleted();
        CompletableFuture<Reply<OpResult.Range>> small =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        RangeQuery another = RangeQuery.of(key("l".repeat(REQUEST_BYTES)));
        assertFails(ErrorKind.TOO_MANY_REQUESTS, reads.range(another, Tenant.SERVER, OPEN));
        runPool();
        assertThat(small).isCompleted();
        assertThat(reads.range(another, Tenant.SERVER, OPEN)).isNotDone();
    }

    @Test
    void aListWithoutBudgetWaitsWithoutHoldingBytesAndPointReadsContinue() {
        putMany(120);
        Reply<OpResult.Range> unsent = read(RangeQuery.of(ALL));
        long held = reads.heldBytes();
        CompletableFuture<Reply<OpResult.Range>> second =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        assertThat(second).isNotDone();
        assertThat(reads.heldBytes()).isEqualTo(held);
        Reply<OpResult.Range> point = read(RangeQuery.of(key("k1")));
        assertThat(point.answer().count()).isEqualTo(1);
        point.held().close();
        unsent.held().close();
        runPool();
        assertThat(second.join().answer().kvs()).hasSize(120);
        assertThat(reads.heldBytes()).isEqualTo(held);
        second.join().held().close();
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void anAnswerLargerThanTheBudgetRunsAlone() {
        putMany(250);
        Reply<OpResult.Range> other = read(RangeQuery.at(ALL, 0, 10));
        CompletableFuture<Reply<OpResult.Range>> huge =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        assertThat(huge).isNotDone();
        other.held().close();
        runPool();
        assertThat(huge.join().answer().kvs()).hasSize(250);
        assertThat(reads.heldBytes()).isGreaterThan(BUDGET);
        huge.join().held().close();
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void aRestartedReadKeepsItsReadPoint() {
        putMany(120);
        Reply<OpResult.Range> unsent = read(RangeQuery.of(ALL));
        CompletableFuture<Reply<OpResult.Range>> second =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        store.put("last", "1");
        store.compact(store.revisions().committed().revision());
        unsent.held().close();
        runPool();
        assertThat(second.join().answer().count()).isEqualTo(120);
        second.join().held().close();
    }

    @Test
    void cancellingAWaitingReadRemovesItFromTheQueue() {
        putMany(120);
        Reply<OpResult.Range> unsent = read(RangeQuery.of(ALL));
        CompletableFuture<Reply<OpResult.Range>> second =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        second.cancel(false);
        for (int i = 0; i < READS_MAX; i++) {
            assertThat(reads.range(RangeQuery.of(key("none")), Tenant.SERVER, OPEN)).isNotDone();
        }
        runPool();
        unsent.held().close();
        assertThat(pool).isEmpty();
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void cancellingARunningReadEndsItAtTheNextKey() {
        putMany(120);
        CountingStorage counting = new CountingStorage(storage);
        List<CompletableFuture<?>> running = new ArrayList<>();
        ForwardingKvStorage cancelling =
                new ForwardingKvStorage(counting) {
                    @Override
                    public Snapshot snapshotAt(long timestamp) {
                        running.forEach(read -> assertThat(read.cancel(false)).isTrue());
                        return super.snapshotAt(timestamp);
                    }
                };
        Reads interrupted = reads(readerOf(cancelling), points);
        running.add(interrupted.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        runPool();
        assertThat(counting.steps).isEqualTo(1);
        assertThat(interrupted.heldBytes()).isZero();
        running.clear();
        assertThat(interrupted.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN)).isNotDone();
        running.add(interrupted.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        running.get(0).cancel(false);
        running.clear();
        counting.reset();
        runPool();
        assertThat(counting.cursors).as("cancelled before it ran").isEqualTo(1);
    }

    @Test
    void oneTenantsReadsDoNotHoldBackAnothers() {
        putMany(3);
        ReadSettings many = new ReadSettings(BUDGET, 1000, 1 << 20, 1 << 20);
        Reads shared = new Reads(store.reader(), points, readers, budget, many);
        List<CompletableFuture<Reply<OpResult.Range>>> flood = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            flood.add(shared.range(RangeQuery.of(ALL), Tenant.user("busy"), OPEN));
        }
        CompletableFuture<Reply<OpResult.Range>> one =
                shared.range(RangeQuery.of(ALL), Tenant.user("quiet"), OPEN);
        assertThat(shared.stats().waitingMost())
                .containsExactly(
                        new ReadStats.Waiting("busy", 100), new ReadStats.Waiting("quiet", 1));
        while (!one.isDone()) {
            pool.remove().run();
            flood.stream().filter(CompletableFuture::isDone).forEach(ReadsTest::close);
        }
        assertThat(flood.stream().filter(CompletableFuture::isDone).count()).isLessThan(5);
        close(one);
        while (!pool.isEmpty()) {
            pool.remove().run();
            flood.stream().filter(CompletableFuture::isDone).forEach(ReadsTest::close);
        }
        assertThat(flood).allMatch(CompletableFuture::isDone);
        assertThat(shared.heldBytes()).isZero();
        assertThat(shared.stats().waitingMost()).isEmpty();
    }

    @Test
    void smallAnswersThatOneTenantDoesNotTakeDoNotHoldBackAnothers() {
        store.put("a", "small");
        RangeQuery small = RangeQuery.of(key("a"));
        ReadSettings many = new ReadSettings(BUDGET, 10_000, 1 << 20, 1 << 20);
        Reads shared = new Reads(store.reader(), points, readers, budget, many);
        List<CompletableFuture<Reply<OpResult.Range>>> unread = new ArrayList<>();
        do {
            unread.add(shared.range(small, Tenant.user("stalled"), OPEN));
            runPool();
        } while (unread.get(unread.size() - 1).isDone());
        assertThat(shared.heldBytes()).isGreaterThan(BUDGET / 2);
        CompletableFuture<Reply<OpResult.Range>> one =
                shared.range(small, Tenant.user("healthy"), OPEN);
        runPool();
        assertThat(one).isCompleted();
        close(one);
        unread.remove(unread.size() - 1).cancel(false);
        unread.forEach(ReadsTest::close);
        assertThat(shared.heldBytes()).isZero();
        CompletableFuture<Reply<OpResult.Range>> again =
                shared.range(small, Tenant.user("stalled"), OPEN);
        assertThat(again).as("cached, and nobody holds anything").isCompleted();
        close(again);
    }

    @Test
    void pinnedReadsAreNeverRefused() {
        putMany(120);
        Reply<OpResult.Range> unsent = read(RangeQuery.of(ALL));
        long revision = store.revisions().committed().revision();
        RangeReader reader = store.reader();
        List<CompletableFuture<Reply<OpResult.Range>>> pinned = new ArrayList<>();
        for (int i = 0; i < 3 * READS_MAX; i++) {
            pinned.add(
                    pinnedReads.start(
                            Tenant.SERVER,
                            (published, quota) ->
                                    reader.readPinned(
                                            RangeQuery.of(ALL),
                                            published,
                                            1,
                                            revision,
                                            new TreeMap<>(),
                                            revision,
                                            quota)));
        }
        runPool();
        assertThat(pinned).noneMatch(CompletableFuture::isDone);
        unsent.held().close();
        while (!pinned.isEmpty()) {
            runPool();
            assertThat(pinned.removeIf(ReadsTest::sendIfDone)).as("a read completed").isTrue();
        }
        assertThat(reads.heldBytes()).isZero();
    }

    @Test
    void closeFailsWaitingReadsAndRefusesMore() {
        putMany(120);
        Reply<OpResult.Range> unsent = read(RangeQuery.of(ALL));
        CompletableFuture<Reply<OpResult.Range>> waiting =
                reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN);
        runPool();
        reads.close();
        assertFails(ErrorKind.STOPPED, waiting);
        assertFails(ErrorKind.STOPPED, reads.range(RangeQuery.of(ALL), Tenant.SERVER, OPEN));
        unsent.held().close();
        assertThat(reads.heldBytes()).isZero();
    }

    private RangeReader readerOf(KvStorage engine) {
        return new RangeReader(
                new Store(engine, new KeyCoder(Bytes.EMPTY), store.revisions()), store.known());
    }

    private Reads reads(RangeReader reader, ReadPoints points) {
        return new Reads(reader, points, readers, budget, settings);
    }

    private static boolean sendIfDone(CompletableFuture<Reply<OpResult.Range>> read) {
        if (read.isDone()) {
            assertThat(read.join().answer().count()).isEqualTo(120);
            read.join().held().close();
        }
        return read.isDone();
    }

    private static void close(CompletableFuture<Reply<OpResult.Range>> read) {
        read.join().held().close();
    }

    private void putMany(int count) {
        for (int i = 0; i < count; i++) {
            store.put("k" + i, "x".repeat(VALUE_BYTES));
        }
    }

    private Reply<OpResult.Range> read(RangeQuery query) {
        CompletableFuture<Reply<OpResult.Range>> range = reads.range(query, Tenant.SERVER, OPEN);
        runPool();
        assertThat(range).isCompleted();
        return range.join();
    }

    private void runPool() {
        while (!pool.isEmpty()) {
            pool.remove().run();
        }
    }

    private static void assertFails(ErrorKind kind, CompletableFuture<?> future) {
        assertThatThrownBy(future::join)
                .cause()
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
