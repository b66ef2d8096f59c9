package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.SimulatedClient.Acknowledged;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.store.LogEntry;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.RandomFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients at work on a node whose engine fails in every way it can, which loses its leadership, and
 * which is killed now and then. Replay one with {@code -Dtest.args=-Dseed=N}.
 */
class NodeSimulationTest {
    private static final int CLIENTS = 5;
    private static final int ROUNDS = 600;
    private static final List<Fault.Outcome> OUTCOMES =
            List.of(
                    Fault.Outcome.UNAVAILABLE,
                    Fault.Outcome.UNCERTAIN_NOT_APPLIED,
                    Fault.Outcome.UNCERTAIN_APPLIED,
                    Fault.Outcome.UNCERTAIN_THEN_APPLIED,
                    Fault.Outcome.CONFLICT);

    private final SimulatedClient.Shared shared = new SimulatedClient.Shared();
    private final List<SimulatedClient> clients = new ArrayList<>();
    private Random random;
    private NodeFixture fixture;
    private boolean faulty;

    static IntStream seeds() {
        Integer only = Integer.getInteger("seed");
        return only == null
                ? IntStream.range(0, Integer.getInteger("seeds", 30))
                : IntStream.of(only);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingThatWasAcknowledgedIsLost(int seed) {
        random = new Random(seed);
        Set<StorageTrait> traits =
                random.nextBoolean()
                        ? Set.of(StorageTrait.EXCLUSIVE_OPEN)
                        : Set.of(StorageTrait.EXCLUSIVE_OPEN, StorageTrait.SNAPSHOT_AT_TIMESTAMP);
        fixture = new NodeFixture(seed, traits);
        fixture.faults = this::faulty;
        fixture.open();
        for (int number = 0; number < CLIENTS; number++) {
            clients.add(new SimulatedClient(fixture, random, shared, number));
        }
        faulty = true;
        for (int round = 0; round < ROUNDS; round++) {
            round();
            assertThat(shared.violations).isEmpty();
        }
        faulty = false;
        fixture.advance(Duration.ofSeconds(60));
        assertThat(clients).noneMatch(SimulatedClient::isBusy);
        assertThat(shared.violations).isEmpty();
        checkAnswers();
        checkStore();
        fixture.storage.checkNoOpenSnapshots();
    }

    private void round() {
        for (SimulatedClient client : clients) {
            if (!client.isBusy() && random.nextInt(3) == 0) {
                client.act();
            }
        }
        int dice = random.nextInt(200);
        if (dice == 0) {
            fixture.crash();
        } else if (dice < 20) {
            fixture.advance(Duration.ofMillis(random.nextInt(400)));
        } else {
            for (int steps = random.nextInt(30); steps > 0; steps--) {
                if (!fixture.simulation.step()) {
                    fixture.advance(Duration.ofMillis(random.nextInt(20)));
                }
            }
        }
    }

    private KvStorage faulty(KvStorage storage) {
        RandomFaults faults = new RandomFaults(random, 0.1, Duration.ofMillis(30), OUTCOMES);
        return new FaultyStorage(
                storage,
                batch -> faulty ? faults.apply(batch) : Fault.NONE,
                fixture.simulation::later);
    }

    private void checkAnswers() {
        for (SimulatedClient client : clients) {
            assertThat(client.possible()).contains(fixture.get(client.key()));
        }
        String counter = fixture.get("counter");
        long count = counter == null ? 0 : Long.parseLong(counter);
        assertThat(count)
                .isBetween(shared.incrementsDone, shared.incrementsDone + shared.incrementsOpen);
        long floor = fixture.node.status().compactRevision();
        for (Acknowledged put : shared.puts) {
            if (put.revision() >= floor) {
                KeySpan key = KeySpan.of(Bytes.utf8(put.key()));
                OpResult.Range then = fixture.range(RangeQuery.at(key, put.revision(), 0));
                assertThat(NodeFixture.valueOf(then.kvs().get(0))).isEqualTo(put.value());
            }
        }
        assertThat(fixture.node.status().revision()).isGreaterThanOrEqualTo(shared.told);
        assertThat(shared.puts).isNotEmpty();
    }

    /** All leases are over by now, and their keys with them; the account and the log are right. */
    private void checkStore() {
        assertThat(fixture.await(fixture.node.submit(new ListLeases()))).isEmpty();
        long bytes = 0;
        try (Snapshot snapshot = fixture.storage.snapshot();
                Cursor all = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            KeyRange data = fixture.coder.dataRange();
            while (all.next()) {
                assertThat(fixture.coder.leases().contains(all.key())).isFalse();
                if (data.contains(all.key())) {
                    bytes += all.key().length() + all.value().length();
                }
            }
        }
        assertThat(fixture.node.status().storedBytes()).isEqualTo(bytes);
        OpResult.Range live =
                fixture.range(
                        RangeQuery.of(
                                KeySpan.of(Bytes.wrap(new byte[1]), Bytes.wrap(new byte[1]))));
        assertThat(fixture.node.status().keys()).isEqualTo(live.count());
        assertThat(live.kvs()).allSatisfy(kv -> assertThat(KeyValue.decode(kv).lease()).isZero());
        checkLog();
    }

    private void checkLog() {
        long next = -1;
        try (Snapshot snapshot = fixture.storage.snapshot();
                Cursor log = snapshot.cursor(fixture.coder.log(), Cursor.Direction.FORWARD)) {
            while (log.next()) {
                long first = fixture.coder.logRevision(log.key());
                if (next < 0) {
                    assertThat(first)
                            .isLessThanOrEqualTo(
                                    Math.max(2, fixture.node.status().compactRevision()));
                } else {
                    assertThat(first).isEqualTo(next);
                }
                next = LogEntry.decode(log.value()).lastRevision() + 1;
            }
        }
        assertThat(next).isEqualTo(fixture.node.status().revision() + 1);
    }
}
