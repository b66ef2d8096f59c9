package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.Futures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bursts of writes, some larger than one update of the leader's stream, while links break, servers
 * start anew and history is compacted close to its end. After each burst nothing is written: within
 * a second every server is at the leader's revision, and all answer alike. Replay one with {@code
 * -Dtest.args=-Dseed=N}.
 */
class SilenceSimulationTest {
    private static final int SERVERS = 3;
    private static final int ROUNDS = Integer.getInteger("rounds", 8);
    private static final int RING_BYTES = 2 << 20;
    private static final Duration ELECTED_MAX = Duration.ofSeconds(10);
    private static final Duration SAME_STATE_MAX = Duration.ofSeconds(1);

    /** No answer waits for anything in a silence; a message takes a few milliseconds. */
    private static final Duration ANSWER_MAX = Duration.ofMillis(100);

    private final ClusterLedger ledger = new ClusterLedger();
    private final List<ClusterClient> readers = new ArrayList<>();
    private final List<ClusterWatcher> watchers = new ArrayList<>();
    private Random random;
    private SimulatedCluster cluster;
    private Truth truth;
    private int written;

    static IntStream seeds() {
        Integer only = Integer.getInteger("seed");
        return only == null
                ? IntStream.range(0, Integer.getInteger("seeds", 10))
                : IntStream.of(only);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void afterEachBurstAllServersReachTheSameStateWithinASecond(int seed) {
        random = new Random(seed);
        cluster = new SimulatedCluster(random.nextLong(), SERVERS, RING_BYTES);
        truth = new Truth(cluster.content);
        for (int place = 0; place < SERVERS; place++) {
            int mine = place;
            readers.add(new ClusterClient(cluster, ledger, random, place));
            watchers.add(new ClusterWatcher(() -> cluster.servers.get(mine), ledger));
        }
        silence();
        for (int round = 0; round < ROUNDS; round++) {
            boolean early = random.nextBoolean();
            if (early) {
                disturb();
            }
            burst();
            if (random.nextInt(2) == 0) {
                compact();
            }
            if (!early) {
                disturb();
            }
            pass(random.nextInt(400));
            silence();
        }
        cluster.servers.forEach(SimulatedServer::checkNothingOpen);
        cluster.content.checkNoOpenSnapshots();
    }

    /** Writes at one server, all at once: one, a few, or more than an update holds. */
    private void burst() {
        SimulatedServer server = random.nextInt(4) == 0 ? cluster.any() : cluster.leader();
        if (server == null || !server.isAlive()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0 -> put(server, 1, 1);
            case 1 -> put(server, 1 + random.nextInt(40), 1);
            case 2, 3 -> put(server, 1300 + random.nextInt(2500), 1);
            default -> put(server, 2 + random.nextInt(3), 400_000);
        }
        for (int steps = random.nextInt(400); steps > 0; steps--) {
            cluster.simulation.step();
        }
    }

    private void put(SimulatedServer server, int times, int bytes) {
        String fill = "x".repeat(bytes);
        for (int i = 0; i < times; i++) {
            Bytes key = Bytes.utf8((bytes > 1 ? "large-" : "small-") + random.nextInt(5));
            Bytes value = Bytes.utf8(written++ + fill);
            Txn txn = Txn.of(new Op.Put(key, value, 0, false, false, false));
            Futures.onEnd(
                    server.node().txn(txn, value.length() + 20),
                    (reply, failure) -> {
                        if (reply != null) {
                            reply.held().close();
                        }
                    });
        }
    }

    /** Compacts history up to the newest revision, or shortly before it. */
    private void compact() {
        pass(random.nextInt(20));
        SimulatedServer leader = cluster.leader();
        if (leader != null) {
            long revision = leader.node().status().revision() - random.nextInt(3);
            Futures.onEnd(leader.node().submit(new Compact(revision, true)), (done, failure) -> {});
        }
    }

    private void disturb() {
        SimulatedServer leader = cluster.leader();
        SimulatedServer hit = cluster.any();
        if (leader == null || !hit.isAlive()) {
            return;
        }
        switch (random.nextInt(9)) {
            case 0 -> restart(hit);
            case 1 -> restart(leader);
            case 2, 3 -> hit.breakLinks();
            case 4 -> {
                long successor = hit.node().status().memberId();
                Futures.onEnd(leader.node().cluster().moveLeader(successor), (done, failure) -> {});
            }
            case 5, 6, 7 -> slowDown(leader);
            default -> {}
        }
    }

    /** The leader's stream lags behind its commits, and its compactions. */
    private void slowDown(SimulatedServer leader) {
        for (SimulatedServer follower : cluster.servers) {
            if (follower != leader) {
                cluster.network.slow(leader.place(), follower.place());
                cluster.network.slow(follower.place(), leader.place());
            }
        }
    }

    private void restart(SimulatedServer server) {
        server.kill(random.nextBoolean());
        readers.forEach(reader -> reader.lost(server));
        if (random.nextBoolean()) {
            pass(random.nextInt(300));
        }
        cluster.restart(server.place());
    }

    /** Lets time pass, in which every server is read and watched. */
    private void pass(int millis) {
        for (int left = millis; left > 0; left -= 10) {
            look();
            cluster.simulation.advance(Duration.ofMillis(10));
        }
        look();
    }

    private void look() {
        watchers.forEach(ClusterWatcher::act);
        for (int place = 0; place < SERVERS; place++) {
            SimulatedServer server = cluster.servers.get(place);
            if (server.isAlive() && !readers.get(place).isBusy()) {
                readers.get(place).readSerializable(server);
            }
        }
        truth.advance(cluster.simulation.nanos());
        watchers.forEach(watcher -> watcher.check(truth));
        ledger.checkReads(truth);
        assertThat(ledger.violations).isEmpty();
    }

    /** Nothing is written, and nothing is disturbed any more. */
    private void silence() {
        cluster.network.heal();
        long since = cluster.simulation.nanos();
        while (!allFollowOne()) {
            assertThat(cluster.simulation.nanos() - since).isLessThan(ELECTED_MAX.toNanos());
            pass(50);
        }
        pass((int) SAME_STATE_MAX.toMillis());
        for (SimulatedServer server : cluster.servers) {
            assertThat(server.node().status().revision())
                    .as("revision of server %d", server.place())
                    .isEqualTo(truth.revision());
        }
        Map<String, String> state = truth.stateAt(truth.revision());
        for (SimulatedServer server : cluster.servers) {
            for (boolean serializable : List.of(true, false)) {
                OpResult.Range all = answer(server, query(false, serializable));
                assertThat(state(all)).isEqualTo(state);
                assertThat(all.revision()).isEqualTo(truth.revision());
                OpResult.Range count = answer(server, query(true, serializable));
                assertThat(count.count()).isEqualTo(state.size());
            }
        }
        watchers.forEach(watcher -> watcher.checkCaughtUp(truth));
    }

    private boolean allFollowOne() {
        SimulatedServer leader = cluster.leader();
        return leader != null
                && cluster.servers.stream()
                        .allMatch(
                                server ->
                                        server.node().status().leaderId()
                                                == leader.node().status().memberId());
    }

    private OpResult.Range answer(SimulatedServer server, RangeQuery query) {
        CompletableFuture<Reply<OpResult.Range>> reply = server.node().range(query);
        cluster.simulation.advance(ANSWER_MAX);
        assertThat(reply).as("an answer of server %d", server.place()).isCompleted();
        reply.join().held().close();
        return reply.join().answer();
    }

    private static RangeQuery query(boolean countOnly, boolean serializable) {
        RangeQuery all = RangeQuery.of(ClusterClient.ALL);
        KeySpan span = all.span();
        return new RangeQuery(
                span,
                0,
                0,
                all.sortOrder(),
                all.sortTarget(),
                false,
                countOnly,
                serializable,
                all.filter());
    }

    private static Map<String, String> state(OpResult.Range range) {
        Map<String, String> state = new TreeMap<>();
        for (Bytes kv : range.kvs()) {
            KeyValue decoded = KeyValue.decode(kv);
            state.put(Truth.text(decoded.key()), Truth.text(decoded.value()));
        }
        return state;
    }
}
