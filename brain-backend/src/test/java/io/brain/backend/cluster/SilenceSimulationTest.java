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
 * Bursts of writes, some larger than an update of the event stream, while links break, servers
 * restart and recent history is compacted. After each burst there are no writes: within a second
 * all servers show the leader's revision and give the same answers. Replay one with {@code
 * -Dtest.args=-Dseed=N}.
 */
class SilenceSimulationTest {
    private static final int SERVERS = 3;
    private static final int ROUNDS = Integer.getInteger("rounds", 8);
    private static final int RING_BYTES = 2 << 20;
    private static final Duration ELECTED_MAX = Duration.ofSeconds(10);
    private static final Duration SAME_STATE_MAX = Duration.ofSeconds(1);

    /** Without writes an answer takes only a few messages of some milliseconds. */
    private static final Duration ANSWER_MAX = Duration.ofMillis(100);

    private final ClientAnswers answers = new ClientAnswers();
    private final List<ClusterClient> readers = new ArrayList<>();
    private final List<ClusterWatcher> watchers = new ArrayList<>();
    private Random random;
    private SimulatedCluster cluster;
    private StoredHistory history;
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
        boolean opensTimestamps = seed % 2 == 0;
        cluster = new SimulatedCluster(random.nextLong(), SERVERS, RING_BYTES, opensTimestamps);
        history = new StoredHistory(cluster.content);
        for (int index = 0; index < SERVERS; index++) {
            int mine = index;
            readers.add(new ClusterClient(cluster, answers, random, index));
            watchers.add(new ClusterWatcher(() -> cluster.servers.get(mine), answers));
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
            advance(random.nextInt(400));
            silence();
        }
        cluster.servers.forEach(SimulatedServer::checkNothingOpen);
        cluster.content.checkNoOpenSnapshots();
    }

    /** Sends writes to one server together: one, a few, or more than an update holds. */
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

    /** Compacts up to the newest revision, or shortly before it. */
    private void compact() {
        advance(random.nextInt(20));
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

    /** Delays the leader's event streams. */
    private void slowDown(SimulatedServer leader) {
        for (SimulatedServer follower : cluster.servers) {
            if (follower != leader) {
                cluster.network.slow(leader.index(), follower.index());
                cluster.network.slow(follower.index(), leader.index());
            }
        }
    }

    private void restart(SimulatedServer server) {
        server.kill(random.nextBoolean());
        readers.forEach(reader -> reader.lost(server));
        if (random.nextBoolean()) {
            advance(random.nextInt(300));
        }
        cluster.restart(server.index());
    }

    /** Advances the time while all servers are read and watched. */
    private void advance(int millis) {
        for (int left = millis; left > 0; left -= 10) {
            check();
            cluster.simulation.advance(Duration.ofMillis(10));
        }
        check();
    }

    private void check() {
        watchers.forEach(ClusterWatcher::act);
        for (int index = 0; index < SERVERS; index++) {
            SimulatedServer server = cluster.servers.get(index);
            if (server.isAlive() && !readers.get(index).isBusy()) {
                readers.get(index).readSerializable(server);
            }
        }
        history.advance(cluster.simulation.nanos());
        watchers.forEach(watcher -> watcher.check(history));
        answers.checkReads(history);
        assertThat(answers.violations).isEmpty();
    }

    /** A time without writes and disturbances. */
    private void silence() {
        cluster.network.heal();
        long since = cluster.simulation.nanos();
        while (!allFollowOne()) {
            assertThat(cluster.simulation.nanos() - since).isLessThan(ELECTED_MAX.toNanos());
            advance(50);
        }
        advance((int) SAME_STATE_MAX.toMillis());
        for (SimulatedServer server : cluster.servers) {
            assertThat(server.node().status().revision())
                    .as("revision of server %d", server.index())
                    .isEqualTo(history.revision());
        }
        Map<String, String> state = history.stateAt(history.revision());
        for (SimulatedServer server : cluster.servers) {
            for (boolean serializable : List.of(true, false)) {
                OpResult.Range all = answer(server, query(false, serializable));
                assertThat(state(all)).isEqualTo(state);
                assertThat(all.revision()).isEqualTo(history.revision());
                OpResult.Range count = answer(server, query(true, serializable));
                assertThat(count.count()).isEqualTo(state.size());
            }
        }
        watchers.forEach(watcher -> watcher.checkCaughtUp(history));
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
        assertThat(reply).as("an answer of server %d", server.index()).isCompleted();
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
            state.put(StoredHistory.text(decoded.key()), StoredHistory.text(decoded.value()));
        }
        return state;
    }
}
