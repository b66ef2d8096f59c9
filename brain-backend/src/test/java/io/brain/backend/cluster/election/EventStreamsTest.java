package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.Node;
import io.brain.backend.NodeFixture;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Member;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.Op;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.MemberRecord.Instance;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class EventStreamsTest implements EventTarget {
    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final MemoryStorage storage =
            new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final List<LeaderUpdate> updates = new ArrayList<>();
    private NodeSettings settings =
            NodeSettings.defaults(8 << 20)
                    .withMember("l", List.of("http://l:1"), List.of(), Duration.ofSeconds(3));
    private Node node;
    private boolean isReady = true;
    private boolean promptRejects;
    private int ends;
    private long member;

    private EventStream openStream(EventTarget target) {
        NodeStatus status = node.status();
        LeaderId self = new LeaderId(status.clusterId(), status.memberId(), 1);
        return node.leaderEndpoint().eventStream(self, 2, target);
    }

    private void open() {
        begin(storage);
        simulation.await(node.elected());
        simulation.run();
    }

    private void begin(KvStorage engine) {
        BackendRuntime own = simulation.runtime();
        Executor prompt =
                task -> {
                    if (promptRejects) {
                        throw new RejectedExecutionException("full");
                    }
                    own.prompt().execute(task);
                };
        BackendRuntime runtime =
                new BackendRuntime(
                        own.clock(),
                        // Due tasks are not rejected, as the scheduler guarantees.
                        (delay, executor, task) ->
                                own.scheduler()
                                        .schedule(
                                                delay,
                                                executor == prompt ? own.prompt() : executor,
                                                task),
                        own.sequencer(),
                        own.watch(),
                        prompt,
                        own.readers(),
                        own.logReaders(),
                        own.background(),
                        own.takeover(),
                        own.elector(),
                        own.random(),
                        BackendListener.NONE);
        node = Node.open(engine, settings, (id, urls) -> null, runtime);
    }

    @Test
    void aStreamSendsEachRevisionOnceInOrderWithTheStatus() {
        open();
        put("a", "1");
        EventStream source = openStream(this);
        simulation.run();
        put("a", "2");
        put("b", "3");
        simulation.run();
        assertThat(sent()).containsExactly(2L, 3L, 4L);
        assertThat(last().status().point().revision()).isEqualTo(4);
        assertThat(last().status().fence().revision()).isEqualTo(4);
        source.close();
        put("a", "5");
        simulation.run();
        assertThat(sent()).hasSize(3);
        assertThat(ends).isZero();
    }

    @Test
    void aStreamWaitsForItsTransportAndThenContinues() {
        open();
        isReady = false;
        EventStream source = openStream(this);
        put("a", "1");
        put("a", "2");
        simulation.advance(Duration.ofSeconds(2));
        assertThat(updates).isEmpty();
        isReady = true;
        source.ready();
        simulation.run();
        assertThat(sent()).containsExactly(2L, 3L);
    }

    @Test
    void revisionsNotInTheRingAreOmittedButTheReadPointIsSent() {
        settings = settings.withWatch(settings.watch().withRing(2000));
        open();
        for (int i = 0; i < 20; i++) {
            put("a", "x".repeat(100));
        }
        openStream(this);
        simulation.run();
        assertThat(sent()).isNotEmpty().doesNotContain(2L, 3L).endsWith(21L);
        assertThat(last().status().point().revision()).isEqualTo(21);
    }

    @Test
    void aPartialUpdateCarriesTheReadPointOfTheLastCompleteOne() {
        open();
        for (int i = 0; i < 2500; i++) {
            Op put = new Op.Put(Bytes.utf8("a"), Bytes.utf8("v" + i), 0, false, false, false);
            Futures.onEnd(node.txn(Txn.of(put), 10), (reply, failure) -> reply.held().close());
        }
        simulation.run();
        openStream(this);
        simulation.run();
        assertThat(updates).hasSize(3);
        assertThat(updates.stream().map(update -> update.status().point().revision()))
                .containsExactly(1L, 1L, 2501L);
        assertThat(sent()).hasSize(2500);
    }

    @Test
    void withoutCommitsAStreamSendsHeartbeats() {
        open();
        openStream(this);
        simulation.run();
        int before = updates.size();
        simulation.advance(Duration.ofMillis(850));
        assertThat(updates.size()).isBetween(before + 9, before + 10);
        assertThat(sent()).isEmpty();
    }

    @Test
    void heartbeatsDoNotWaitBehindWatchers() {
        open();
        openStream(this);
        simulation.run();
        simulation.watch().hold();
        int before = updates.size();
        simulation.advance(Duration.ofMillis(1600));
        assertThat(updates.size()).isGreaterThanOrEqualTo(before + 3);
    }

    @Test
    void aStreamEndsOnceAfterALeadershipAndAtOnceWithoutOne() {
        open();
        openStream(this);
        simulation.run();
        simulation.await(node.resign());
        simulation.run();
        assertThat(ends).isEqualTo(1);
        openStream(this);
        simulation.run();
        assertThat(ends).isEqualTo(2);
    }

    @Test
    void aStreamEndsAfterTheResignationIsStored() {
        open();
        openStream(this);
        simulation.run();
        CompletableFuture<Void> resigned = node.resign();
        while (node.status().leaderId() != 0) {
            assertThat(simulation.step()).isTrue();
        }
        simulation.engine().hold();
        simulation.advance(Duration.ofSeconds(1)); // a heartbeat
        assertThat(ends).isZero();
        simulation.engine().release();
        simulation.await(resigned);
        simulation.run();
        assertThat(ends).isEqualTo(1);
    }

    @Test
    void aStreamOpenedBeforeTheTermBeginsWaitsForIt() {
        begin(storage);
        while (node.status().memberId() == 0 || simulation.engine().waiting() == 0) {
            assertThat(simulation.step()).isTrue();
        }
        openStream(this);
        while (!node.elected().isDone()) {
            assertThat(ends).isZero();
            assertThat(simulation.step()).isTrue();
        }
        simulation.run();
        assertThat(ends).isZero();
        assertThat(last().status().point().revision()).isEqualTo(1);
    }

    @Test
    void aResigningLeaderGivesAFollowerTheNextEpoch() {
        open();
        member = 42;
        Member follower = new Member(42, "f", List.of("http://f:1"), List.of());
        Instance process = new Instance(5, Duration.ofSeconds(3), "");
        MemberRecord record = new MemberRecord(follower, 1, process);
        storage.commit(WriteBatch.builder().put(coder.memberKey(42), record.encode()).build());
        openStream(this);
        simulation.run();
        CompletableFuture<?> put = node.txn(Txn.of(NodeFixture.putOf("a", "1", 0)), 10);
        simulation.await(node.resign());
        assertThat(put).isCompleted();
        simulation.run();
        assertThat(ends).isEqualTo(1);
        try (Snapshot stored = storage.snapshot()) {
            LeaderRecord next = LeaderRecord.decode(stored.get(coder.leaderKey()));
            Fence fence = Fence.decode(stored.get(coder.fenceKey()));
            Duration lease = Duration.ofSeconds(3);
            assertThat(next)
                    .isEqualTo(new LeaderRecord(42, 2, 0, lease, 2, follower.peerUrls(), 5, fence));
            Fence last = last().status().fence();
            assertThat(fence).isEqualTo(last.promoted(fence.token()));
        }
    }

    @Test
    void aFollowerWithoutAProcessIsGivenNothing() {
        open();
        member = 42;
        openStream(this);
        simulation.run();
        simulation.await(node.resign());
        try (Snapshot stored = storage.snapshot()) {
            assertThat(LeaderRecord.decode(stored.get(coder.leaderKey())).isResigned()).isTrue();
        }
    }

    @Test
    void theLeadershipIsNotMovedToAMemberWithoutAStreamOrAProcess() {
        open();
        member = 42;
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Void> moved = node.cluster().moveLeader(42);
            simulation.run();
            assertThatThrownBy(moved::join)
                    .hasCauseInstanceOf(BackendException.class)
                    .hasMessageContaining("TRANSFER_TIMEOUT");
            openStream(this);
            simulation.run();
        }
        simulation.advance(Duration.ofSeconds(10));
        assertThat(node.status().leaderId()).isEqualTo(node.status().memberId());
        assertThat(ends).isZero();
    }

    @Test
    void aStreamOfTheNextEpochWaitsForItsTerm() {
        open();
        simulation.await(node.resign());
        NodeStatus status = node.status();
        LeaderId next = new LeaderId(status.clusterId(), status.memberId(), 2);
        node.leaderEndpoint().eventStream(next, 2, this);
        simulation.advance(Duration.ofSeconds(1));
        assertThat(ends).isZero();
        LeaderId later = new LeaderId(status.clusterId(), status.memberId(), 3);
        node.leaderEndpoint().eventStream(later, 2, this);
        simulation.run();
        assertThat(ends).isEqualTo(1);
        assertThat(updates).isEmpty();
    }

    @Test
    void aStreamThatWaitsForATermEndsIfItDoesNotBegin() {
        WriteBatch ofAnotherNode =
                WriteBatch.builder().put(coder.fenceKey(), new Fence(7, 1, 1, 0).encode()).build();
        KvStorage contested =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        if (node.status().memberId() != 0 && ends == 0) {
                            openStream(EventStreamsTest.this);
                            super.commit(ofAnotherNode);
                        }
                        return super.commit(batch);
                    }
                };
        begin(contested);
        simulation.run();
        assertThat(ends).isEqualTo(1);
        assertThat(updates).isEmpty();
        assertThat(node.elected()).isNotDone();
    }

    @Test
    void aStreamWhoseTaskWasRejectedContinuesWithTheNextHeartbeat() {
        open();
        openStream(this);
        simulation.run();
        promptRejects = true;
        simulation.advance(Duration.ofSeconds(1));
        promptRejects = false;
        int before = updates.size();
        simulation.advance(Duration.ofSeconds(1));
        assertThat(updates.size()).isGreaterThan(before);
    }

    @Test
    void theMemberOfTheOldestStreamTakesOverFirst() {
        open();
        member = 3;
        EventStream oldest = openStream(new Discarding(9));
        openStream(this);
        simulation.run();
        assertThat(last().status().successor()).isEqualTo(9);
        oldest.close();
        put("a", "1");
        simulation.run();
        assertThat(last().status().successor()).isEqualTo(3);
    }

    /** The target of another member. */
    private record Discarding(long member) implements EventTarget {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(LeaderUpdate update) {}

        @Override
        public void end() {}
    }

    private void put(String key, String value) {
        Op put = new Op.Put(Bytes.utf8(key), Bytes.utf8(value), 0, false, false, false);
        simulation.await(node.txn(Txn.of(put), 10)).held().close();
    }

    private List<Long> sent() {
        return updates.stream()
                .flatMap(update -> update.events().stream())
                .map(RevisionEvents::revision)
                .toList();
    }

    private LeaderUpdate last() {
        return updates.get(updates.size() - 1);
    }

    @Override
    public boolean isReady() {
        return isReady;
    }

    @Override
    public long member() {
        return member;
    }

    @Override
    public void send(LeaderUpdate update) {
        updates.add(update);
    }

    @Override
    public void end() {
        ends++;
    }
}
