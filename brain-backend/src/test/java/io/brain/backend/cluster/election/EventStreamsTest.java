package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.Futures;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.Op;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class EventStreamsTest implements TailTarget {
    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final MemoryStorage storage =
            new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final List<TailUpdate> updates = new ArrayList<>();
    private NodeSettings settings =
            NodeSettings.defaults(8 << 20)
                    .withMember("l", List.of("http://l:1"), List.of(), Duration.ofSeconds(3));
    private Node node;
    private boolean isReady = true;
    private boolean promptIsFull;
    private int ends;

    private TailSource tail(TailTarget target) {
        NodeStatus status = node.status();
        LeaderId self = new LeaderId(status.clusterId(), status.memberId(), 1);
        return node.leaderSide().tail(self, 2, target);
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
                    if (promptIsFull) {
                        throw new RejectedExecutionException("full");
                    }
                    own.prompt().execute(task);
                };
        BackendRuntime runtime =
                new BackendRuntime(
                        own.clock(),
                        // As the scheduler promises, a task that is due waits for room.
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
                        own.random());
        node = Node.open(engine, settings, (id, urls) -> null, runtime);
    }

    @Test
    void aFollowerIsToldEveryRevisionOnceInOrderAndWhereTheLeaderStands() {
        open();
        put("a", "1");
        TailSource source = tail(this);
        simulation.run();
        put("a", "2");
        put("b", "3");
        simulation.run();
        assertThat(told()).containsExactly(2L, 3L, 4L);
        assertThat(last().standing().point().revision()).isEqualTo(4);
        assertThat(last().standing().fence().revision()).isEqualTo(4);
        source.close();
        put("a", "5");
        simulation.run();
        assertThat(told()).hasSize(3);
        assertThat(ends).isZero();
    }

    @Test
    void aSlowTransportIsLeftAloneUntilItIsReadyAndThenGetsWhatItMissed() {
        open();
        isReady = false;
        TailSource source = tail(this);
        put("a", "1");
        put("a", "2");
        simulation.advance(Duration.ofSeconds(2));
        assertThat(updates).isEmpty();
        isReady = true;
        source.ready();
        simulation.run();
        assertThat(told()).containsExactly(2L, 3L);
    }

    @Test
    void whatHasLeftTheRingIsLeftOutAndThePointIsToldAllTheSame() {
        settings = settings.withWatch(settings.watch().withRing(2000));
        open();
        for (int i = 0; i < 20; i++) {
            put("a", "x".repeat(100));
        }
        tail(this);
        simulation.run();
        assertThat(told()).isNotEmpty().doesNotContain(2L, 3L).endsWith(21L);
        assertThat(last().standing().point().revision()).isEqualTo(21);
    }

    @Test
    void anUpdateThatIsCutCarriesTheReadPointOfTheLastWholeOne() {
        open();
        for (int i = 0; i < 2500; i++) {
            Op put = new Op.Put(Bytes.utf8("a"), Bytes.utf8("v" + i), 0, false, false, false);
            Futures.onEnd(node.txn(Txn.of(put), 10), (reply, failure) -> reply.held().close());
        }
        simulation.run();
        tail(this);
        simulation.run();
        assertThat(updates).hasSize(3);
        assertThat(updates.stream().map(update -> update.standing().point().revision()))
                .containsExactly(1L, 1L, 2501L);
        assertThat(told()).hasSize(2500);
    }

    @Test
    void withoutNewsAFollowerHearsAHeartbeat() {
        open();
        tail(this);
        simulation.run();
        int before = updates.size();
        simulation.advance(Duration.ofMillis(1600));
        assertThat(updates.size()).isBetween(before + 3, before + 4);
        assertThat(told()).isEmpty();
    }

    @Test
    void heartbeatsDoNotWaitBehindWatchers() {
        open();
        tail(this);
        simulation.run();
        simulation.watch().hold();
        int before = updates.size();
        simulation.advance(Duration.ofMillis(1600));
        assertThat(updates.size()).isGreaterThanOrEqualTo(before + 3);
    }

    @Test
    void aStreamEndsOnceWhenTheNodeLeadsNoMoreAndAtOnceWhereItDoesNotLead() {
        open();
        tail(this);
        simulation.run();
        simulation.await(node.handOver());
        simulation.run();
        assertThat(ends).isEqualTo(1);
        tail(this);
        simulation.run();
        assertThat(ends).isEqualTo(2);
    }

    @Test
    void aStreamThatIsOpenedWhenTheRecordIsStoredButTheTermHasNotBegunWaitsForIt() {
        begin(storage);
        while (node.status().memberId() == 0 || simulation.engine().waiting() == 0) {
            assertThat(simulation.step()).isTrue();
        }
        tail(this);
        while (!node.elected().isDone()) {
            assertThat(ends).isZero();
            assertThat(simulation.step()).isTrue();
        }
        simulation.run();
        assertThat(ends).isZero();
        assertThat(last().standing().point().revision()).isEqualTo(1);
    }

    @Test
    void aStreamThatWaitsForATermEndsIfItDoesNotBegin() {
        WriteBatch anothers =
                WriteBatch.builder().put(coder.fenceKey(), new Fence(7, 1, 1, 0).encode()).build();
        KvStorage contested =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        if (node.status().memberId() != 0 && ends == 0) {
                            tail(EventStreamsTest.this);
                            super.commit(anothers);
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
    void aStreamThatFoundNoRoomOnItsThreadGoesOnWithTheNextHeartbeat() {
        open();
        tail(this);
        simulation.run();
        promptIsFull = true;
        simulation.advance(Duration.ofSeconds(1));
        promptIsFull = false;
        int before = updates.size();
        simulation.advance(Duration.ofSeconds(1));
        assertThat(updates.size()).isGreaterThan(before);
    }

    private void put(String key, String value) {
        Op put = new Op.Put(Bytes.utf8(key), Bytes.utf8(value), 0, false, false, false);
        simulation.await(node.txn(Txn.of(put), 10)).held().close();
    }

    private List<Long> told() {
        return updates.stream()
                .flatMap(update -> update.events().stream())
                .map(RevisionEvents::revision)
                .toList();
    }

    private TailUpdate last() {
        return updates.get(updates.size() - 1);
    }

    @Override
    public boolean isReady() {
        return isReady;
    }

    @Override
    public void send(TailUpdate update) {
        updates.add(update);
    }

    @Override
    public void end() {
        ends++;
    }
}
