package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.TtlRules;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader that is silent, and does not renew its record, is replaced before its lease ends. */
class SilentLeaderTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Bytes KEY = Bytes.utf8("a");

    private final SimulatedCluster cluster =
            new SimulatedCluster(1, 3, 20_000, LEASE, () -> TtlRules.NONE);
    private SimulatedServer leader;

    @BeforeEach
    void start() {
        cluster.simulation.advance(Duration.ofSeconds(10));
        leader = cluster.leader();
        put(leader, "1");
    }

    @Test
    void oneThatWasKilledIsReplacedSoon() {
        leader.kill(true);
        cluster.simulation.advance(Duration.ofMillis(600));
        assertThat(cluster.leader()).isNotNull();
        put(cluster.leader(), "2");
    }

    @Test
    void oneThatWasKilledIsReplacedByTheSuccessorThatItNamed() {
        SimulatedServer named = named();
        leader.kill(true);
        cluster.simulation.advance(Duration.ofMillis(600));
        assertThat(cluster.leader()).isSameAs(named);
    }

    @Test
    void oneThatWasKilledWithItsSuccessorIsReplacedByAnother() {
        SimulatedServer named = named();
        leader.kill(true);
        named.kill(true);
        cluster.simulation.advance(Duration.ofMillis(750));
        assertThat(cluster.leader()).isNotNull().isNotSameAs(named);
        put(cluster.leader(), "2");
    }

    /** The follower whose stream is open longest, because the other one connects again. */
    private SimulatedServer named() {
        List<SimulatedServer> followers =
                cluster.servers.stream().filter(server -> server != leader).toList();
        followers.get(0).breakLinks();
        cluster.simulation.advance(Duration.ofSeconds(1));
        return followers.get(1);
    }

    @Test
    void oneThatHangsIsReplacedSoonAndReadsNothingOld() {
        leader.stall();
        cluster.simulation.advance(Duration.ofMillis(650));
        SimulatedServer next = cluster.leader();
        assertThat(next).isNotNull().isNotSameAs(leader);
        put(next, "2");
        leader.resume();
        assertThat(read(leader)).isEqualTo("2");
    }

    /** At once after the pause, before the record was read again. */
    @Test
    void oneThatHungForAMomentReadsByACommit() {
        long epoch = leader.node().status().epoch();
        leader.stall();
        cluster.simulation.advance(Duration.ofMillis(450));
        leader.resume();
        assertThat(read(leader)).isEqualTo("1");
        cluster.simulation.advance(LONG);
        assertThat(cluster.leader().node().status().epoch()).isEqualTo(epoch);
    }

    @Test
    void oneThatOnlyCannotReachTheOthersStays() {
        long epoch = leader.node().status().epoch();
        for (SimulatedServer other : cluster.servers) {
            cluster.network.cut(leader.index(), other.index());
            cluster.network.cut(other.index(), leader.index());
        }
        cluster.simulation.advance(LONG);
        assertThat(leader.node().status().epoch()).isEqualTo(epoch);
        assertThat(SimulatedCluster.leads(leader)).isTrue();
    }

    /** Others hear of it, so that it keeps the whole lease. */
    @Test
    void oneThatOnlyCannotRenewItsRecordKeepsItsLease() {
        leader.cutCommits(true);
        cluster.simulation.advance(Duration.ofSeconds(2));
        assertThat(cluster.leader()).isSameAs(leader);
        leader.cutCommits(false);
        cluster.simulation.advance(LONG);
        assertThat(cluster.leader()).isSameAs(leader);
        put(leader, "2");
    }

    @Test
    void oneThatCannotCommitFollowsItsSuccessor() {
        leader.cutCommits(true);
        cluster.simulation.advance(Duration.ofSeconds(8));
        SimulatedServer next = cluster.leader();
        assertThat(next).isNotNull().isNotSameAs(leader);
        assertThat(leader.node().status().leaderId()).isEqualTo(next.node().status().memberId());
        put(next, "2");
        assertThat(read(leader)).isEqualTo("2");
        put(leader, "3");
        assertThat(read(next)).isEqualTo("3");
    }

    /** So that a store or a machine that stops often does not move the leadership all the time. */
    @Test
    void oneThatHasJustBegunKeepsItsLease() {
        leader.kill(true);
        cluster.simulation.advance(Duration.ofSeconds(1));
        SimulatedServer second = cluster.leader();
        second.stall();
        cluster.simulation.advance(Duration.ofSeconds(1));
        assertThat(cluster.leader()).isSameAs(second);
        cluster.simulation.advance(LEASE);
        assertThat(cluster.leader()).isNotSameAs(second);
    }

    /** What a leader does follows from its own lease. */
    @Test
    void oneWithALongerLeaseIsNotReplacedByAnotherMeasure() {
        SimulatedCluster mixed =
                new SimulatedCluster(1, 2, 20_000, Duration.ofSeconds(60), () -> TtlRules.NONE);
        mixed.simulation.advance(Duration.ofSeconds(70));
        SimulatedServer slow = mixed.leader();
        int other = 1 - slow.index();
        long epoch = slow.node().status().epoch();
        mixed.lease = LEASE;
        mixed.servers.get(other).kill(true);
        mixed.restart(other);
        mixed.simulation.advance(Duration.ofSeconds(200));
        assertThat(mixed.leader()).isSameAs(slow);
        assertThat(slow.node().status().epoch()).isEqualTo(epoch);
        assertThat(mixed.servers.get(other).node().status().leaderId())
                .isEqualTo(slow.node().status().memberId());
    }

    private void put(SimulatedServer server, String value) {
        Op put = new Op.Put(KEY, Bytes.utf8(value), 0, false, false, false);
        cluster.simulation.await(server.node().txn(Txn.of(put), 10));
    }

    private String read(SimulatedServer server) {
        var reply = cluster.simulation.await(server.node().range(RangeQuery.of(KeySpan.of(KEY))));
        reply.held().close();
        KeyValue kv = KeyValue.decode(reply.answer().kvs().get(0));
        return StoredHistory.text(kv.value());
    }
}
