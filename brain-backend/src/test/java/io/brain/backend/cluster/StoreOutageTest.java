package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No server can reach the store for longer than the leader's lease, and the leader reaches it again
 * last.
 */
class StoreOutageTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void theLeaderKeepsTheLeadershipAfterAStoreOutage(int seed) {
        SimulatedCluster cluster = new SimulatedCluster(seed, 3);
        cluster.simulation.advance(Duration.ofMillis(5000 + 40L * seed));
        SimulatedServer leader = cluster.leader();
        long epoch = leader.node().status().epoch();
        cluster.servers.forEach(server -> server.cutStore(true));
        cluster.simulation.advance(cluster.lease.multipliedBy(2).plusMillis(100L * seed));
        cluster.servers.stream().filter(s -> s != leader).forEach(s -> s.cutStore(false));
        cluster.later(cluster.lease.dividedBy(4), () -> leader.cutStore(false));
        cluster.simulation.advance(cluster.lease.multipliedBy(3));
        assertThat(cluster.leader()).isSameAs(leader);
        assertThat(leader.node().status().epoch()).isEqualTo(epoch);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLeaderThatFailsDuringTheOutageIsReplaced(int seed) {
        SimulatedCluster cluster = new SimulatedCluster(seed, 3);
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer leader = cluster.leader();
        cluster.servers.forEach(server -> server.cutStore(true));
        leader.kill(true);
        cluster.simulation.advance(cluster.lease.multipliedBy(2));
        cluster.servers.stream().filter(s -> s != leader).forEach(s -> s.cutStore(false));
        cluster.simulation.advance(cluster.lease.multipliedBy(3));
        assertThat(cluster.leader()).isNotNull().isNotSameAs(leader);
    }
}
