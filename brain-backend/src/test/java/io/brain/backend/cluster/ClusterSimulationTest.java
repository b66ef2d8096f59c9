package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.brain.backend.model.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients of a cluster whose servers are killed, stalled, stopped and disconnected from each other
 * and from the store, and whose store fails in every possible way. Replay one with {@code
 * -Dtest.args=-Dseed=N}.
 */
class ClusterSimulationTest {
    private static final int SERVERS = 3;

    /** Too small for some watchers. */
    private static final int RING_BYTES = 20_000;

    private static final int CLIENTS = 5;
    private static final int WATCHERS = 3;
    private static final int ROUNDS = Integer.getInteger("rounds", 400);

    private final ClientAnswers answers = new ClientAnswers();
    private final List<ClusterClient> clients = new ArrayList<>();
    private final List<ClusterWatcher> watchers = new ArrayList<>();
    private Random random;
    private SimulatedCluster cluster;
    private StoredHistory history;

    private static IntStream seeds() {
        Integer only = Integer.getInteger("seed");
        return only == null
                ? IntStream.range(0, Integer.getInteger("seeds", 20))
                : IntStream.of(only);
    }

    /** Each seed on an engine that opens timestamps, and on one that does not. */
    static Stream<Arguments> cases() {
        return seeds().boxed()
                .flatMap(seed -> Stream.of(arguments(seed, true), arguments(seed, false)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aClusterKeepsItsGuarantees(int seed, boolean opensTimestamps) {
        random = new Random(seed);
        cluster = new SimulatedCluster(random.nextLong(), SERVERS, RING_BYTES, opensTimestamps);
        history = new StoredHistory(cluster.content);
        for (int number = 0; number < CLIENTS; number++) {
            clients.add(new ClusterClient(cluster, answers, random, number));
        }
        for (int number = 0; number < WATCHERS; number++) {
            watchers.add(new ClusterWatcher(cluster::any, answers));
        }
        cluster.setFaulty(true);
        for (int round = 0; round < ROUNDS; round++) {
            round();
            check();
        }
        endFaults();
        history.advance(cluster.simulation.nanos());
        check();
        assertThat(clients).filteredOn(ClusterClient::isBusy).isEmpty();
        checkOneLeaderAndAllFollow();
        answers.check(history);
        answers.checkLeasesOver(history);
        watchers.forEach(watcher -> watcher.checkCaughtUp(history));
        cluster.servers.forEach(SimulatedServer::checkNothingOpen);
        cluster.content.checkNoOpenSnapshots();
    }

    private void check() {
        history.advance(cluster.simulation.nanos());
        watchers.forEach(watcher -> watcher.check(history));
        assertThat(answers.violations).isEmpty();
    }

    private void round() {
        for (ClusterClient client : clients) {
            if (!client.isBusy() && random.nextInt(2) == 0) {
                client.act();
            }
        }
        watchers.forEach(ClusterWatcher::act);
        if (random.nextInt(12) == 0) {
            disturb();
        }
        if (random.nextInt(3) > 0) {
            cluster.simulation.advance(Duration.ofNanos(random.nextInt(100_000_000)));
        } else {
            for (int steps = random.nextInt(60); steps > 0; steps--) {
                if (!cluster.simulation.step()) {
                    cluster.simulation.advance(Duration.ofNanos(random.nextInt(5_000_000)));
                }
            }
        }
    }

    private void disturb() {
        // The leader is disturbed more often than the others.
        SimulatedServer leader = cluster.leader();
        SimulatedServer hit = leader != null && random.nextBoolean() ? leader : cluster.any();
        if (!hit.isAlive() || hit.isStalled() || hit.isStopping()) {
            return;
        }
        switch (random.nextInt(13)) {
            case 0 -> kill(hit);
            case 1 -> hit.stop(() -> kill(hit));
            case 2, 3 -> stall(hit);
            case 4 -> {
                hit.cutStore(true);
                hit.disturbed = Long.MAX_VALUE;
                cluster.later(
                        upTo(2500),
                        () -> {
                            hit.cutStore(!hit.isAlive());
                            hit.disturbed = cluster.simulation.nanos();
                        });
            }
            case 5, 6 -> {
                int other = random.nextInt(SERVERS);
                cluster.network.cut(hit.index(), other);
                if (random.nextBoolean()) {
                    cluster.network.cut(other, hit.index());
                }
                cluster.later(upTo(3000), cluster.network::heal);
            }
            case 7 -> {
                int other = random.nextInt(SERVERS);
                cluster.network.slow(hit.index(), other);
                cluster.network.slow(other, hit.index());
                cluster.later(upTo(3000), cluster.network::heal);
            }
            case 8 -> {
                long successor = cluster.any().node().status().memberId();
                if (successor != 0) {
                    Futures.onEnd(
                            hit.node().cluster().moveLeader(successor), (done, failure) -> {});
                }
            }
            case 9 -> {
                hit.cutCommits(true);
                cluster.later(upTo(1500), () -> hit.cutCommits(false));
            }
            case 10, 11 -> {
                hit.slowAnswers(upTo(1200));
                cluster.later(upTo(2000), () -> hit.slowAnswers(Duration.ZERO));
            }
            default -> watchers.get(random.nextInt(WATCHERS)).close();
        }
    }

    private void stall(SimulatedServer server) {
        server.stall();
        cluster.later(
                upTo(random.nextBoolean() ? 900 : 3000),
                () -> {
                    if (server.isAlive()) {
                        server.resume();
                        readAtOnce(server);
                    }
                });
    }

    /** A server that was paused must not return an old state. */
    private void readAtOnce(SimulatedServer server) {
        for (ClusterClient client : clients) {
            if (!client.isBusy() && random.nextBoolean()) {
                client.read(server);
            }
        }
    }

    private void kill(SimulatedServer server) {
        server.kill(random.nextBoolean());
        clients.forEach(client -> client.lost(server));
        cluster.later(upTo(1500), () -> cluster.restart(server.index()));
    }

    /** Ends all faults and advances the time. */
    private void endFaults() {
        cluster.setFaulty(false);
        cluster.simulation.advance(Duration.ofSeconds(4));
        cluster.network.heal();
        for (int rest = 0; rest < 100; rest++) {
            watchers.forEach(ClusterWatcher::act);
            cluster.simulation.advance(Duration.ofMillis(150));
        }
    }

    private void checkOneLeaderAndAllFollow() {
        history.advance(cluster.simulation.nanos());
        long leader = cluster.leader().node().status().memberId();
        for (SimulatedServer server : cluster.servers) {
            assertThat(server.isAlive()).isTrue();
            assertThat(server.node().status().leaderId()).isEqualTo(leader);
            assertThat(server.node().status().revision()).isEqualTo(history.revision());
        }
    }

    private Duration upTo(int millis) {
        return Duration.ofMillis(random.nextInt(millis));
    }
}
