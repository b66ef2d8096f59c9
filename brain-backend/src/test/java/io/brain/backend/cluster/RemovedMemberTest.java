package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RemovedMemberTest {
    @Test
    void aRemovedLeaderResignsAndStops() {
        SimulatedCluster cluster = new SimulatedCluster(1, 3);
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer leader = cluster.leader();
        long id = leader.node().status().memberId();
        SimulatedServer other =
                cluster.servers.stream().filter(s -> s != leader).findFirst().orElseThrow();
        cluster.simulation.await(other.node().cluster().remove(id));
        cluster.simulation.advance(cluster.lease.multipliedBy(2));
        assertThat(leader.node().broken()).isCompleted();
        assertThat(leader.node().broken().join()).hasMessageContaining("removed");
        assertThat(cluster.leader()).isNotNull().isNotSameAs(leader);
        assertThat(cluster.simulation.await(other.node().cluster().members())).hasSize(2);
    }

    @Test
    void aRemovedFollowerStops() {
        SimulatedCluster cluster = new SimulatedCluster(2, 3);
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer leader = cluster.leader();
        SimulatedServer follower =
                cluster.servers.stream().filter(s -> s != leader).findFirst().orElseThrow();
        cluster.simulation.await(
                leader.node().cluster().remove(follower.node().status().memberId()));
        cluster.simulation.advance(cluster.lease.multipliedBy(2));
        assertThat(follower.node().broken()).isCompleted();
        assertThat(cluster.leader()).isSameAs(leader);
    }
}
