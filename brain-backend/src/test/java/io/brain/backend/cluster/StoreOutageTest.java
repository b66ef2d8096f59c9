package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.NodeFixture;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.model.Txn;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No server can reach the store for longer than the leader's lease, and the leader reaches it again
 * last.
 */
class StoreOutageTest {
    private static final long LEASE_SECONDS = 8;
    private static final Txn PUT = Txn.of(NodeFixture.putOf("a", "1", 0));

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
    void noLeaseExpiresForAnOutageInWhichNobodyCouldRenewIt(int seed) {
        SimulatedCluster cluster = new SimulatedCluster(seed, 3);
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer leader = cluster.leader();
        long epoch = leader.node().status().epoch();
        cluster.simulation.await(leader.node().submit(new GrantLease(7, LEASE_SECONDS)));
        cluster.servers.forEach(server -> server.cutStore(true));
        cluster.simulation.advance(Duration.ofSeconds(LEASE_SECONDS));
        var waiting = leader.node().submit(new KeepLeaseAlive(7));
        cluster.simulation.advance(Duration.ofSeconds(2));
        cluster.servers.forEach(server -> server.cutStore(false));
        cluster.simulation.advance(Duration.ofSeconds(3));
        assertThat(leader.node().status().epoch()).isEqualTo(epoch);
        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.ttl() == LEASE_SECONDS);
        assertThat(renewed(cluster, leader)).isEqualTo(LEASE_SECONDS);
        cluster.simulation.advance(Duration.ofSeconds(LEASE_SECONDS + 2));
        assertThat(renewed(cluster, leader)).isZero();
    }

    private static long renewed(SimulatedCluster cluster, SimulatedServer server) {
        return cluster.simulation.await(server.node().submit(new KeepLeaseAlive(7))).ttl();
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void theLeaderCommitsWhatWaitedDuringALongOutage(int seed) {
        SimulatedCluster cluster = new SimulatedCluster(seed, 3);
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer leader = cluster.leader();
        long epoch = leader.node().status().epoch();
        leader.cutCommits(true);
        var waiting = leader.node().txn(PUT, 10);
        cluster.simulation.advance(Duration.ofMillis(50));
        cluster.servers.forEach(server -> server.cutStore(true));
        leader.cutCommits(false);
        cluster.simulation.advance(Duration.ofSeconds(40));
        assertThat(waiting).isCompletedExceptionally();
        cluster.servers.forEach(server -> server.cutStore(false));
        cluster.simulation.advance(Duration.ofSeconds(3));
        assertThat(leader.node().status().epoch()).isEqualTo(epoch);
        assertThat(leader.node().status().revision()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aLeaderWhoseWritesDoNotReachTheStoreLeavesTheLeadershipToOthers(int seed) {
        SimulatedCluster cluster = new SimulatedCluster(seed, 3);
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer leader = cluster.leader();
        leader.cutWrites();
        cluster.simulation.advance(Duration.ofSeconds(30));
        assertThat(cluster.leader()).as("while nothing is written").isSameAs(leader);
        var lost = leader.node().txn(PUT, 10);
        cluster.simulation.advance(Duration.ofSeconds(25));
        assertThat(lost).isCompletedExceptionally();
        assertThat(cluster.leader()).isNotNull().isNotSameAs(leader);
        cluster.simulation.await(cluster.leader().node().txn(PUT, 10)).held().close();
    }
}
