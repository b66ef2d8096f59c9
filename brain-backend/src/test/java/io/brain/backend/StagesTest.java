package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.read.ReadStats;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.write.WriteSettings;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.ScriptedFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a listener is told and what the figures show while things happen. */
class StagesTest {
    private static final long MILLI = 1_000_000;

    private final NodeFixture fixture = new NodeFixture(7);
    private final RecordingListener recorded = new RecordingListener();

    private NodeFixture open() {
        fixture.listener = recorded;
        fixture.open();
        recorded.batches.clear();
        recorded.committed.clear();
        recorded.answered.clear();
        return fixture;
    }

    @Test
    void aWriteIsReportedStageByStageWithItsTimes() {
        open();
        assertThat(recorded.terms).isEqualTo(1);
        fixture.simulation.engine().hold();
        var first = fixture.submit(NodeFixture.putOf("a", "1", 0));
        fixture.advance(Duration.ofMillis(5));
        assertThat(recorded.batches).containsExactly("1 writes at 2");
        assertThat(recorded.committed).isEmpty();
        assertThat(fixture.node.stats().write().pending()).isEqualTo(1);
        assertThat(fixture.node.stats().write().pendingBytes()).isEqualTo(100);
        assertThat(fixture.node.stats().write().queued()).isZero();

        // These wait in the mailbox, as a batch is on its way and they are too few for a round.
        var second = fixture.submit(NodeFixture.putOf("b", "1", 0));
        var third = fixture.submit(NodeFixture.putOf("c", "1", 0));
        fixture.advance(Duration.ofMillis(3));
        assertThat(fixture.node.stats().write().queued()).isEqualTo(2);
        fixture.simulation.engine().release();
        fixture.await(first);
        fixture.await(second);
        fixture.await(third);

        assertThat(recorded.batches).containsExactly("1 writes at 2", "2 writes at 4");
        assertThat(recorded.committed).containsExactly(8 * MILLI, 0L);
        assertThat(recorded.answered).containsExactly(8 * MILLI, 3 * MILLI, 3 * MILLI);
        assertThat(recorded.queued).contains(0L).endsWith(3 * MILLI, 3 * MILLI);
        assertThat(recorded.published).isGreaterThanOrEqualTo(2);
        assertThat(recorded.evaluated).isGreaterThanOrEqualTo(3);
        assertThat(fixture.node.stats().write().pending()).isZero();
        assertThat(fixture.node.stats().write().pendingBytes()).isZero();
    }

    @Test
    void whatIsPendingIsBoundedAndRefusalsAreReported() {
        WriteSettings defaults = WriteSettings.DEFAULTS;
        fixture.settings =
                fixture.settings.withTerm(
                        fixture.settings.term().withWrite(defaults.within(250, 1 << 20, 1 << 20)));
        open();
        fixture.simulation.engine().hold();
        var first = fixture.submit(NodeFixture.putOf("a", "1", 0));
        var second = fixture.submit(NodeFixture.putOf("b", "1", 0));
        var third = fixture.submit(NodeFixture.putOf("c", "1", 0));
        assertThat(third).isCompletedExceptionally();
        assertThat(recorded.refused).isEqualTo(1);
        WriteStats stats = fixture.node.stats().write();
        assertThat(stats.pendingBytesMax()).isEqualTo(250);
        assertThat(stats.pendingMax()).isEqualTo(defaults.requestsMax());
        fixture.simulation.engine().release();
        fixture.await(first);
        fixture.await(second);
        assertThat(recorded.refused).isEqualTo(1);
    }

    @Test
    void theAgeOfABatchCountsAllItsAttempts() {
        ScriptedFaults faults = new ScriptedFaults();
        fixture.faults = storage -> new FaultyStorage(storage, faults);
        open();
        faults.then(Fault.unavailable(StorageException.Kind.UNAVAILABLE));
        var write = fixture.submit(NodeFixture.putOf("a", "1", 0));
        Duration partOfBackoff = Duration.ofMillis(3);
        fixture.simulation.advance(partOfBackoff);
        assertThat(recorded.committed).isEmpty();
        assertThat(batchNanos()).isEqualTo(partOfBackoff.toNanos());
        fixture.await(write);
        assertThat(recorded.retried).isEqualTo(1);
        assertThat(batchNanos()).isZero();
    }

    @Test
    void aBatchThatIsRefusedOrOutlivesItsTermHasNoAge() {
        ScriptedFaults faults = new ScriptedFaults();
        fixture.faults = storage -> new FaultyStorage(storage, faults);
        open();
        faults.then(Fault.unavailable(StorageException.Kind.TOO_LARGE));
        var refused = fixture.submit(NodeFixture.putOf("a", "1", 0));
        fixture.simulation.run();
        assertThat(refused).isCompletedExceptionally();
        assertThat(batchNanos()).isZero();
        fixture.simulation.engine().hold();
        var write = fixture.submit(NodeFixture.putOf("a", "2", 0));
        fixture.simulation.advance(Duration.ofMillis(3));
        assertThat(batchNanos()).isPositive();
        fixture.node.close();
        fixture.simulation.run();
        assertThat(write).isCompletedExceptionally();
        assertThat(batchNanos()).isZero();
    }

    private long batchNanos() {
        return fixture.node.stats().write().batchNanos();
    }

    @Test
    void recordsAreReportedByWhereTheyWereFound() {
        open();
        fixture.put("a", "1");
        assertThat(recorded.read).isPositive();
        long read = recorded.read;
        long inMemory = recorded.inMemory;
        fixture.put("a", "2");
        assertThat(recorded.read).isEqualTo(read);
        assertThat(recorded.inMemory).isGreaterThan(inMemory);
        fixture.txn(NodeFixture.putOf("b", "1", 0), NodeFixture.putOf("c", "1", 0));
        assertThat(recorded.read).isEqualTo(read);
        assertThat(recorded.fetched).isEqualTo(2);
    }

    @Test
    void uncertainLateAndFailedBatchesAreReported() {
        ScriptedFaults faults = new ScriptedFaults();
        fixture.faults = storage -> new FaultyStorage(storage, faults);
        open();
        // Lost before the engine: resolved, sent again, and committed.
        faults.then(Fault.of(Fault.Outcome.UNCERTAIN_NOT_APPLIED));
        fixture.put("a", "1");
        assertThat(recorded.settled).isEqualTo(1);
        assertThat(recorded.retried).isEqualTo(1);
        faults.then(Fault.unavailable(StorageException.Kind.UNAVAILABLE));
        fixture.put("a", "2");
        assertThat(recorded.settled).isEqualTo(1);
        assertThat(recorded.retried).isEqualTo(2);
        assertThat(recorded.failed).isZero();
        faults.then(Fault.unavailable(StorageException.Kind.TOO_LARGE));
        var failed = fixture.submit(NodeFixture.putOf("a", "3", 0));
        fixture.simulation.run();
        assertThat(failed).isCompletedExceptionally();
        assertThat(recorded.failed).isEqualTo(1);
        assertThat(recorded.committed).hasSize(2);
    }

    @Test
    void compactionIsReportedUntilNothingBelowTheFloorIsLeft() {
        open();
        for (int i = 0; i < 10; i++) {
            fixture.put("a", "" + i);
        }
        fixture.await(fixture.node.submit(new Compact(11, true)));
        assertThat(recorded.removed).isEqualTo(9);
        assertThat(recorded.compactedTo).endsWith(11L);
        assertThat(recorded.compactions).isEqualTo(1);
        assertThat(fixture.node.stats().compact().finished()).isEqualTo(11);
        assertThat(fixture.node.stats().compact().running()).isFalse();
    }

    @Test
    void leasesAreCountedAndTheirEndIsReported() {
        open();
        fixture.await(fixture.node.submit(new GrantLease(1, 3)));
        fixture.await(fixture.node.submit(new GrantLease(2, 3000)));
        assertThat(fixture.node.stats().leases()).isEqualTo(2);
        fixture.advance(Duration.ofSeconds(5));
        assertThat(recorded.expired).isEqualTo(1);
        assertThat(fixture.node.stats().leases()).isEqualTo(1);
        fixture.await(fixture.node.submit(new RevokeLease(2)));
        assertThat(recorded.expired).isEqualTo(1);
        assertThat(recorded.revoked).isEqualTo(2);
        assertThat(recorded.checkpointed).isZero();
    }

    @Test
    void checkpointsOfLeasesAreReported() {
        fixture.settings = fixture.settings.withLeaseCheckpoints(true);
        open();
        fixture.await(fixture.node.submit(new GrantLease(2, 3000)));
        fixture.advance(Duration.ofMinutes(6));
        assertThat(recorded.checkpointed).isEqualTo(1);
    }

    @Test
    void readsShowWhatTheyHoldAndWaitFor() {
        open();
        fixture.put("a", "1");
        fixture.simulation.readers().hold();
        var read = fixture.node.range(RangeQuery.of(KeySpan.of(Bytes.utf8("a"))));
        ReadStats stats = fixture.node.stats().read();
        assertThat(stats.pending()).isEqualTo(1);
        assertThat(stats.waiting()).isZero();
        assertThat(stats.heldBytes()).isPositive();
        assertThat(stats.heldBytesMax()).isEqualTo(8 << 20);
        fixture.simulation.readers().release();
        fixture.await(read).held().close();
        stats = fixture.node.stats().read();
        assertThat(stats.pending()).isZero();
        assertThat(stats.heldBytes()).isZero();
        assertThat(stats.refused()).isZero();
    }

    @Test
    void theRingShowsWhatItHoldsAndWhatHadToLeave() {
        fixture.settings = fixture.settings.withWatch(fixture.settings.watch().withRing(4096));
        open();
        EventRing.Stats empty = fixture.node.stats().watch().ring();
        assertThat(empty.first()).isEqualTo(2);
        assertThat(empty.last()).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            fixture.put("key", "value" + i);
        }
        fixture.simulation.run();
        EventRing.Stats ring = fixture.node.stats().watch().ring();
        assertThat(ring.last()).isEqualTo(101);
        assertThat(ring.first()).isGreaterThan(2);
        assertThat(ring.evicted()).isEqualTo(ring.first() - 2);
        assertThat(ring.bytes()).isPositive().isLessThanOrEqualTo(ring.bytesMax());
    }

    @Test
    void aNodeThatDoesNotLeadHasNothingToWrite() {
        open();
        fixture.node.close();
        fixture.simulation.run();
        assertThat(fixture.node.stats().write()).isEqualTo(WriteStats.NONE);
        assertThat(fixture.node.stats().leases()).isZero();
        assertThat(fixture.submit(NodeFixture.putOf("a", "1", 0))).isCompletedExceptionally();
    }

    /** Writes down what it is told. */
    private static final class RecordingListener implements BackendListener {
        private final List<String> batches = new ArrayList<>();
        private final List<Long> queued = new ArrayList<>();
        private final List<Long> committed = new ArrayList<>();
        private final List<Long> answered = new ArrayList<>();
        private final List<Long> compactedTo = new ArrayList<>();
        private int terms;
        private int refused;
        private int evaluated;
        private int published;
        private int settled;
        private int retried;
        private int failed;
        private int removed;
        private int compactions;
        private int expired;
        private int revoked;
        private int checkpointed;
        private long inMemory;
        private long fetched;
        private long read;

        @Override
        public void termBegan() {
            terms++;
        }

        @Override
        public void writeRefused() {
            refused++;
        }

        @Override
        public void writeQueued(long nanos) {
            queued.add(nanos);
        }

        @Override
        public void writesEvaluated(int writes, long nanos) {
            evaluated += writes;
        }

        @Override
        public void recordsLookedUp(long fromMemory, long ahead, long one) {
            inMemory += fromMemory;
            fetched += ahead;
            read += one;
        }

        @Override
        public void batchSent(int writes, long bytes, long revision) {
            assertThat(bytes).isPositive();
            batches.add(writes + " writes at " + revision);
        }

        @Override
        public void batchCommitted(long nanos) {
            committed.add(nanos);
        }

        @Override
        public void batchSettled() {
            settled++;
        }

        @Override
        public void batchRetried() {
            retried++;
        }

        @Override
        public void batchRefused() {
            failed++;
        }

        @Override
        public void batchPublished(long nanos) {
            published++;
        }

        @Override
        public void writeAnswered(long nanos) {
            answered.add(nanos);
        }

        @Override
        public void versionsRemoved(int versions) {
            removed += versions;
        }

        @Override
        public void compactedTo(long revision, long nanos) {
            compactedTo.add(revision);
        }

        @Override
        public void compactionEnded(long nanos) {
            compactions++;
        }

        @Override
        public void leaseRevoked(boolean byTime) {
            expired += byTime ? 1 : 0;
            revoked++;
        }

        @Override
        public void leaseCheckpointed() {
            checkpointed++;
        }
    }
}
