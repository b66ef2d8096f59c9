package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader whose lease has ended, because it cannot reach the store, is no leader. */
class DisconnectedLeaderTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Txn PUT =
            Txn.of(new Op.Put(Bytes.utf8("a"), Bytes.utf8("1"), 0, false, false, false));

    private final SimulatedCluster cluster = new SimulatedCluster(1, 3);
    private SimulatedServer leader;

    @BeforeEach
    void start() {
        cluster.simulation.advance(Duration.ofSeconds(5));
        leader = cluster.leader();
        cluster.simulation.await(leader.node().txn(PUT, 10));
        cluster.simulation.await(leader.node().submit(new GrantLease(7, 100)));
    }

    @Test
    void itReportsNoLeaderWithoutStoreAndPeers() {
        cutOff(leader);
        cluster.simulation.advance(SECOND);
        assertThat(leader.node().status().leaderId()).isZero();
        cluster.simulation.advance(SECOND);
        assertThat(cluster.leader()).isNotNull().isNotSameAs(leader);
    }

    @Test
    void followersThatReachItReportNoLeaderEither() {
        cluster.servers.forEach(server -> server.cutStore(true));
        cluster.simulation.advance(cluster.lease.multipliedBy(2).plusMillis(200));
        assertThat(cluster.servers).allMatch(server -> server.node().status().leaderId() == 0);
        cluster.servers.forEach(server -> server.cutStore(false));
        cluster.simulation.advance(Duration.ofSeconds(3));
        assertThat(cluster.servers).allMatch(server -> server.node().status().leaderId() != 0);
    }

    @Test
    void callsToItFailAsWithoutALeader() {
        cutOff(leader);
        cluster.simulation.advance(SECOND);
        CompletableFuture<?> put = leader.node().txn(PUT, 10);
        CompletableFuture<?> lease = leader.node().submit(new KeepLeaseAlive(7));
        CompletableFuture<?> read = leader.node().range(RangeQuery.of(KeySpan.of(Bytes.utf8("a"))));
        cluster.simulation.advance(cluster.timeout.plus(SECOND));
        assertThat(errorOf(put)).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
        assertThat(errorOf(lease)).isEqualTo(ErrorKind.NO_LEADER);
        assertThat(errorOf(read)).isEqualTo(ErrorKind.TIMEOUT);
    }

    private void cutOff(SimulatedServer server) {
        server.cutStore(true);
        for (SimulatedServer other : cluster.servers) {
            cluster.network.cut(server.index(), other.index());
            cluster.network.cut(other.index(), server.index());
        }
    }

    private static ErrorKind errorOf(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        return Failures.of(call.handle((value, failure) -> failure).join()).kind();
    }
}
