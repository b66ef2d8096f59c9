package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.ElectionSettings;
import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.model.Member;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Two processes with the same peer URLs, and therefore the same member id. */
class TwinProcessesTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final List<String> URLS = List.of("http://localhost:2380");

    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final MemoryStorage storage =
            new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    private boolean cut;

    @Test
    void theSecondProcessIsRefusedAndTheFirstContinues() {
        Node first = start(simulation.machine(), "one");
        simulation.advance(LEASE.multipliedBy(3));
        assertThat(first.status().epoch()).isEqualTo(1);
        Node second = start(simulation.machine(), "two");
        for (int i = 0; i < 60; i++) {
            simulation.await(first.txn(put("k" + i), 30)).held().close();
            simulation.advance(Duration.ofMillis(50));
        }
        assertThat(first.status().epoch()).isEqualTo(1);
        assertThat(first.status().revision()).isEqualTo(61);
        assertThat(second.elected()).isCompletedExceptionally();
        assertThat(second.broken().join().kind()).isEqualTo(StorageException.Kind.REFUSED);
        assertThat(second.broken().join())
                .hasMessage(
                        "another process that runs has the same peer URLs: name one, peer URLs"
                                + " [http://localhost:2380], process of one; give each server its"
                                + " own --initial-advertise-peer-urls");
        assertThat(simulation.await(first.cluster().members()))
                .extracting(Member::name)
                .containsExactly("one");
    }

    @Test
    void aProcessThatStartsAfterACrashWaitsForOneLease() {
        SimulatedRuntime.Machine machine = simulation.machine();
        start(machine, "one");
        simulation.advance(LEASE.multipliedBy(3));
        machine.kill();
        Node second = start(simulation.machine(), "two");
        simulation.advance(LEASE.multipliedBy(9).dividedBy(10));
        assertThat(second.elected()).isNotDone();
        simulation.advance(LEASE.dividedBy(4));
        assertThat(second.elected()).isCompleted();
        assertThat(second.status().epoch()).isEqualTo(2);
        assertThat(second.status().leaderId()).isEqualTo(second.status().memberId());
    }

    @Test
    void aProcessThatStartsAfterACleanStopDoesNotWait() {
        Node first = start(simulation.machine(), "one");
        simulation.advance(LEASE.multipliedBy(3));
        simulation.await(first.resign());
        simulation.advance(LEASE.multipliedBy(3)); // it does not claim the record again
        Node second = start(simulation.machine(), "two");
        simulation.advance(LEASE.dividedBy(4));
        assertThat(second.elected()).isCompleted();
        assertThat(first.broken()).isNotDone();
    }

    @Test
    void aPausedProcessThatWasReplacedStops() {
        SimulatedRuntime.Machine machine = simulation.machine();
        Node first = start(machine, "one");
        simulation.advance(LEASE.multipliedBy(3));
        machine.stop();
        Node second = start(simulation.machine(), "two");
        simulation.advance(LEASE.multipliedBy(3));
        assertThat(second.elected()).isCompleted();
        machine.go();
        simulation.advance(LEASE.multipliedBy(2));
        assertThat(first.broken()).isCompleted();
        assertThat(first.broken().join())
                .hasMessageContaining("another process took over this member")
                .hasMessageContaining("name two")
                .hasMessageContaining("process of two");
        assertThat(second.broken()).isNotDone();
        assertThat(second.status().epoch()).isEqualTo(2);
    }

    @Test
    void aReplacedProcessKeepsTheRecordOfItsSuccessor() {
        SimulatedRuntime.Machine machine = simulation.machine();
        Node first = start(machine, "one");
        simulation.advance(LEASE.multipliedBy(3));
        machine.stop();
        Node second = start(simulation.machine(), "two");
        simulation.advance(LEASE.multipliedBy(3));
        machine.go();
        while (!first.broken().isDone()) {
            simulation.advance(LEASE.dividedBy(100));
        }
        Node third = start(simulation.machine(), "three");
        simulation.advance(LEASE.multipliedBy(4));
        assertThat(third.broken()).isCompleted();
        assertThat(second.broken()).isNotDone();
        assertThat(second.status().epoch()).isEqualTo(2);
    }

    @Test
    void ofTwoProcessesThatStartTogetherOneServes() {
        SimulatedRuntime.Machine machine = simulation.machine();
        start(machine, "zero");
        simulation.advance(LEASE.multipliedBy(3));
        machine.kill();
        Node one = start(simulation.machine(), "one");
        Node two = start(simulation.machine(), "two");
        simulation.advance(LEASE.multipliedBy(4));
        List<Node> refused =
                List.of(one, two).stream().filter(node -> node.broken().isDone()).toList();
        assertThat(refused).hasSize(1);
        Node serving = refused.get(0) == one ? two : one;
        assertThat(serving.elected()).isCompleted();
        assertThat(serving.status().epoch()).isEqualTo(2);
    }

    /** Time without the store does not show that a process has ended. */
    @Test
    void aStoreOutageDoesNotAdmitASecondProcess() {
        Node first = start(simulation.machine(), "one");
        simulation.advance(LEASE.multipliedBy(3));
        Node second = start(simulation.machine(), "two");
        cut = true;
        simulation.advance(LEASE.multipliedBy(3));
        cut = false;
        simulation.advance(LEASE.multipliedBy(4));
        assertThat(first.broken()).isNotDone();
        assertThat(first.status().epoch()).isEqualTo(1);
        assertThat(second.broken()).isCompleted();
    }

    @Test
    void anUpdateOfTheMemberDoesNotStopItsProcess() {
        Node node = start(simulation.machine(), "one");
        simulation.advance(LEASE.multipliedBy(3));
        Member self = simulation.await(node.cluster().members()).get(0);
        List<String> moved = List.of("http://elsewhere:1");
        simulation.await(
                node.cluster().update(new Member(self.id(), self.name(), moved, List.of())));
        simulation.advance(LEASE.multipliedBy(4));
        assertThat(node.broken()).isNotDone();
        assertThat(simulation.await(node.cluster().members()))
                .singleElement()
                .extracting(Member::peerUrls)
                .isEqualTo(moved);
        Node second = start(simulation.machine(), "two");
        simulation.advance(LEASE.multipliedBy(4));
        assertThat(second.broken()).isCompleted();
    }

    private Node start(SimulatedRuntime.Machine machine, String name) {
        NodeSettings settings =
                NodeSettings.defaults(8 << 20)
                        .withElection(
                                new ElectionSettings(
                                        name, URLS, List.of(), LEASE, "process of " + name, false));
        return Node.open(
                new StoreConnection(), settings, (leader, urls) -> silentLink(), machine.runtime());
    }

    /** A link without answers or updates. */
    private static LeaderLink silentLink() {
        return new LeaderLink() {
            @Override
            public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
                return new CompletableFuture<>();
            }

            @Override
            public void eventStream(long from, EventSink sink) {}

            @Override
            public void close() {}
        };
    }

    private static Txn put(String key) {
        return Txn.of(new Op.Put(Bytes.utf8(key), Bytes.utf8("value"), 0, false, false, false));
    }

    /** A connection to the store, which the test can cut for all processes. */
    private final class StoreConnection extends ForwardingKvStorage {
        StoreConnection() {
            super(storage.openAgain(simulation.engine()));
        }

        private StorageException unavailable() {
            return new StorageException(StorageException.Kind.UNAVAILABLE, "no connection");
        }

        @Override
        public long timestamp() {
            if (cut) {
                throw unavailable();
            }
            return super.timestamp();
        }

        @Override
        public Snapshot snapshot() {
            if (cut) {
                throw unavailable();
            }
            return super.snapshot();
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            return cut
                    ? CompletableFuture.completedFuture(new CommitResult.Unavailable(unavailable()))
                    : super.commit(batch);
        }
    }
}
