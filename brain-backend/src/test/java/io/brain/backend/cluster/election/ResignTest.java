package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.Node;
import io.brain.backend.NodeFixture;
import io.brain.backend.NodeSettings;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ResignTest {
    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final MemoryStorage storage =
            new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final NodeSettings settings =
            NodeSettings.defaults(8 << 20)
                    .withMember("a", List.of("http://a:1"), List.of(), Duration.ofSeconds(1));
    private final Node node =
            Node.open(storage, settings, (id, urls) -> null, simulation.runtime());

    @Test
    void aResignationCompletesWhenStoredAndTheNodeNeverLeadsAgain() {
        simulation.await(node.elected());
        simulation.await(node.resign());
        assertThat(record().isResigned()).isTrue();
        simulation.advance(Duration.ofSeconds(5));
        assertThat(node.status().leaderId()).isZero();
    }

    @Test
    void writesBeforeAResignationAreAnsweredAndLaterOnesWait() {
        simulation.await(node.elected());
        simulation.engine().hold();
        CompletableFuture<?> before = put("a");
        simulation.run();
        CompletableFuture<Void> resigned = node.resign();
        simulation.run();
        CompletableFuture<?> after = put("b");
        simulation.run();
        assertThat(before).isNotDone();
        simulation.engine().release();
        simulation.await(resigned);
        assertThat(record().isResigned()).isTrue();
        assertThat(before).isCompleted();
        assertThat(after).as("waits for the next leader").isNotDone();
        assertThat(node.status().revision()).isEqualTo(2);
    }

    /** Others lead when the lease has ended: this node must follow them. */
    @Test
    void aResignationDoesNotWaitForACommitThatDoesNotEnd() {
        simulation.await(node.elected());
        simulation.engine().hold();
        CompletableFuture<?> before = put("a");
        simulation.run();
        CompletableFuture<Void> resigned = node.resign();
        simulation.advance(Duration.ofMillis(900));
        assertThat(before).isNotDone();
        simulation.advance(Duration.ofMillis(200));
        assertThat(before).isCompletedExceptionally();
        simulation.engine().release();
        simulation.await(resigned);
        assertThat(node.status().leaderId()).isZero();
    }

    @Test
    void aWideDeleteThatIsBeingPreparedWaitsForTheNextLeader() {
        simulation.await(node.elected());
        for (int i = 0; i < 20; i++) {
            simulation.await(put("k" + i, "v".repeat(100_000)));
        }
        Op all = new Op.Delete(KeySpan.prefix(Bytes.utf8("k")), false);
        CompletableFuture<?> delete = node.txn(Txn.of(all), 10, Caller.NONE);
        simulation.run();
        assertThat(delete).as("pauses").isNotDone();
        simulation.await(node.resign());
        simulation.advance(Duration.ofMillis(100));
        assertThat(delete).isNotDone();
        assertThat(node.status().revision()).isEqualTo(21);
    }

    @Test
    void aRenewalOfAnExpiredLeaseWaitsForTheNextLeader() {
        simulation.await(node.elected());
        simulation.advance(Duration.ofMillis(250)); // it expires between two scans
        simulation.await(node.submit(new GrantLease(7, 3)));
        simulation.advance(Duration.ofMillis(3_050));
        simulation.engine().hold();
        CompletableFuture<?> before = put("a");
        CompletableFuture<?> renewal = node.submit(new KeepLeaseAlive(7));
        simulation.run();
        CompletableFuture<Void> resigned = node.resign();
        simulation.run();
        simulation.engine().release();
        simulation.await(resigned);
        assertThat(before).isCompleted();
        simulation.advance(Duration.ofMillis(100));
        assertThat(renewal).isNotDone();
    }

    @Test
    void aPhysicalCompactionIsAnsweredBeforeAllIsRemoved() {
        simulation.await(node.elected());
        simulation.await(put("a"));
        simulation.background().hold();
        CompletableFuture<Long> compacted = node.submit(new Compact(2, true));
        simulation.run();
        assertThat(compacted).isNotDone();
        CompletableFuture<Void> resigned = node.resign();
        assertThat(simulation.await(compacted)).isEqualTo(2);
        simulation.background().release();
        simulation.await(resigned);
    }

    private CompletableFuture<?> put(String key) {
        return put(key, "1");
    }

    private CompletableFuture<?> put(String key, String value) {
        return node.txn(Txn.of(NodeFixture.putOf(key, value, 0)), 10, Caller.NONE);
    }

    @Test
    void aNodeResignsAlsoDuringItsPromotion() {
        simulation.engine().hold();
        simulation.run(); // joins
        simulation.engine().release();
        while (simulation.engine().waiting() > 0 || record() == null) {
            assertThat(simulation.step()).isTrue();
        }
        assertThat(node.elected()).isNotDone();
        CompletableFuture<Void> resigned = node.resign();
        simulation.await(resigned);
        assertThat(record().isResigned()).isTrue();
        assertThat(node.status().leaderId()).isZero();
    }

    @Test
    void aSecondResignationCompletesNoEarlierThanTheFirst() {
        simulation.await(node.elected());
        simulation.engine().hold();
        CompletableFuture<Void> first = node.resign();
        CompletableFuture<Void> second = node.resign();
        simulation.advance(Duration.ofMillis(200));
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        simulation.engine().release();
        simulation.advance(Duration.ofMillis(200));
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(record().isResigned()).isTrue();
    }

    @Test
    void aNodeClosedDuringItsPromotionDoesNotRenew() {
        while (node.status().memberId() == 0 || simulation.engine().waiting() == 0) {
            assertThat(simulation.step()).isTrue();
        }
        node.close();
        simulation.run();
        long renewal = record().renewal();
        simulation.advance(Duration.ofSeconds(3));
        assertThat(record().renewal()).isEqualTo(renewal);
    }

    private LeaderRecord record() {
        try (Snapshot snapshot = storage.snapshot()) {
            Bytes stored = snapshot.get(coder.leaderKey());
            return stored == null ? null : LeaderRecord.decode(stored);
        }
    }
}
