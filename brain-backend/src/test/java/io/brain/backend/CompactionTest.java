package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CompactionTest {
    private static final Bytes A = Bytes.utf8("a");

    private final NodeFixture fixture = new NodeFixture(5);

    /** Deletes without a sync that are still to fail. */
    private int failures;

    @Test
    void revisionsAreCheckedAsEtcdDoes() {
        fixture.open();
        assertFailed(fixture.node.submit(new Compact(-1, false)), ErrorKind.COMPACTED);
        assertFailed(fixture.node.submit(new Compact(2, false)), ErrorKind.FUTURE_REVISION);
        assertThat(fixture.await(fixture.node.submit(new Compact(0, true)))).isEqualTo(1);
        assertThat(fixture.node.status().compactRevision()).isZero();
        assertFailed(fixture.node.submit(new Compact(0, false)), ErrorKind.COMPACTED);
        fixture.put("a", "1");
        fixture.put("a", "2");
        assertThat(fixture.await(fixture.node.submit(new Compact(3, false)))).isEqualTo(3);
        assertFailed(fixture.node.submit(new Compact(3, false)), ErrorKind.COMPACTED);
        assertFailed(fixture.node.submit(new Compact(4, false)), ErrorKind.FUTURE_REVISION);
        assertThat(fixture.node.status().revision()).isEqualTo(3);
    }

    @Test
    void aLogicalCompactionAnswersBeforeAnythingIsRemoved() {
        fixture.open();
        fixture.put("a", "1");
        fixture.put("a", "2");
        fixture.simulation.background().hold();
        assertThat(fixture.await(fixture.node.submit(new Compact(3, false)))).isEqualTo(3);
        assertThat(isStored(2)).isTrue();
        assertThatThrownBy(() -> fixture.range(RangeQuery.at(KeySpan.of(A), 2, 0)))
                .isInstanceOf(BackendException.class);
        fixture.simulation.background().release();
        fixture.advance(Duration.ofSeconds(1));
        assertThat(isStored(2)).isFalse();
    }

    @Test
    void aPhysicalCompactionAnswersWhenItIsDone() {
        fixture.open();
        fixture.put("a", "1");
        fixture.put("a", "2");
        fixture.simulation.background().hold();
        CompletableFuture<Long> done = fixture.node.submit(new Compact(3, true));
        fixture.advance(Duration.ofSeconds(20));
        assertThat(done).isNotDone();
        fixture.simulation.background().release();
        assertThat(fixture.await(done)).isEqualTo(3);
        assertThat(isStored(2)).isFalse();
        assertThat(isStored(3)).isTrue();
    }

    @Test
    void aPhysicalCompactionDoesNotWaitForALaterOne() {
        fixture.open();
        for (int i = 0; i < 100; i++) {
            fixture.put("a", "" + i);
        }
        fixture.simulation.background().hold();
        CompletableFuture<Long> first = fixture.node.submit(new Compact(50, true));
        fixture.await(fixture.node.submit(new Compact(101, false)));
        CompletableFuture<Boolean> later = first.thenApply(done -> isStored(60));
        fixture.simulation.background().release();
        assertThat(fixture.await(later)).isTrue();
        assertThat(isStored(49)).isFalse();
        fixture.advance(Duration.ofSeconds(3));
        assertThat(isStored(60)).isFalse();
    }

    @Test
    void aPhysicalCompactionThatTheNodesEndCutsOffSaysSo() {
        fixture.open();
        fixture.put("a", "1");
        fixture.simulation.background().hold();
        CompletableFuture<Long> done = fixture.node.submit(new Compact(2, true));
        fixture.simulation.run();
        fixture.node.close();
        assertFailed(done, ErrorKind.STOPPED);
    }

    @Test
    void aTransactionsReadsKeepWhatTheyNeedUntilTheyAreMade() {
        fixture.open();
        fixture.put("a", "1");
        fixture.put("a", "2");
        fixture.simulation.readers().hold();
        KeySpan span = KeySpan.of(A, Bytes.utf8("b"));
        CompletableFuture<Reply<OpResult.Txn>> txn =
                fixture.submit(
                        NodeFixture.putOf("z", "1", 0), new Op.Range(RangeQuery.at(span, 2, 0)));
        fixture.simulation.run();
        assertThat(fixture.await(fixture.node.submit(new Compact(4, false)))).isEqualTo(4);
        fixture.advance(Duration.ofSeconds(3));
        assertThat(isStored(2)).isTrue();
        fixture.simulation.readers().release();
        OpResult.Range range = (OpResult.Range) fixture.await(txn).answer().results().get(1);
        assertThat(NodeFixture.valueOf(range.kvs().get(0))).isEqualTo("1");
        fixture.advance(Duration.ofSeconds(3));
        assertThat(isStored(2)).isFalse();
    }

    @Test
    void aFailedStepIsDoneAgain() {
        fixture.faults =
                storage ->
                        new ForwardingKvStorage(storage) {
                            @Override
                            public CompletionStage<CommitResult> commit(WriteBatch batch) {
                                if (batch.primary() instanceof Mutation.Delete && failures > 0) {
                                    failures--;
                                    return CompletableFuture.completedFuture(
                                            new CommitResult.Unavailable(
                                                    new StorageException(
                                                            StorageException.Kind.UNAVAILABLE,
                                                            "expected by the test")));
                                }
                                return super.commit(batch);
                            }
                        };
        fixture.open();
        fixture.put("a", "1");
        fixture.put("a", "2");
        failures = 3;
        CompletableFuture<Long> done = fixture.node.submit(new Compact(3, true));
        fixture.advance(Duration.ofMillis(2500));
        assertThat(done).isNotDone();
        assertThat(fixture.await(done)).isEqualTo(3);
        assertThat(failures).isZero();
        assertThat(isStored(2)).isFalse();
    }

    private boolean isStored(long revision) {
        try (Snapshot snapshot = fixture.storage.snapshot()) {
            Bytes head = snapshot.get(fixture.coder.headKey(A));
            return VersionRecord.decode(head).revision() == revision
                    || snapshot.get(fixture.coder.historyKey(A, revision)) != null;
        }
    }

    private void assertFailed(CompletableFuture<?> future, ErrorKind kind) {
        assertThatThrownBy(() -> fixture.await(future))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }
}
