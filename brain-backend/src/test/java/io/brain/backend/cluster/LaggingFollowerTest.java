package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.hash.KvHash;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A follower that does not know the compact revision yet, on an engine whose snapshots are always
 * the newest state: the leader has already deleted what the follower's newest revision needs.
 */
class LaggingFollowerTest {
    private static final KeySpan KEY = KeySpan.of(Bytes.utf8("k"));

    private final SimulatedCluster cluster = new SimulatedCluster(1, 3, 20_000, false);
    private SimulatedServer leader;
    private SimulatedServer follower;

    /** The newest revision that the follower knows. */
    private long known;

    /** The compact revision. */
    private long floor;

    @BeforeEach
    void start() {
        cluster.simulation.advance(Duration.ofSeconds(5));
        leader = cluster.leader();
        follower = cluster.servers.stream().filter(s -> s != leader).findFirst().orElseThrow();
        put("1");
        known = put("2");
        cluster.simulation.advance(Duration.ofMillis(300));
        assertThat(follower.node().status().revision()).isEqualTo(known);
    }

    @AfterEach
    void nothingStaysOpen() {
        cluster.servers.forEach(SimulatedServer::checkNothingOpen);
    }

    @Test
    void aSerializableReadIsAnsweredAtALaterPoint() {
        compact();
        assertReadsNewest(follower.node().range(serializable(0)));
    }

    @Test
    void aLinearizableReadWhosePointIsCompactedIsAnsweredAtALaterPoint() {
        follower.readers().hold();
        CompletableFuture<Reply<OpResult.Range>> read =
                follower.node().range(RangeQuery.of(ClusterClient.ALL));
        cluster.simulation.advance(Duration.ofMillis(20));
        compact();
        follower.readers().release();
        assertReadsNewest(read);
    }

    @Test
    void aReadOnlyTransactionIsAnsweredAtALaterPoint() {
        compact();
        CompletableFuture<Reply<OpResult.Txn>> txn =
                follower.node().txn(Txn.of(new Op.Range(serializable(0))), 100);
        cluster.simulation.run();
        assertThat(txn).isNotDone();
        cluster.network.heal();
        OpResult.Txn answer = cluster.simulation.await(txn).answer();
        assertThat(answer.revision()).isEqualTo(floor);
        assertValue("3", (OpResult.Range) answer.results().get(0));
    }

    @Test
    void aReadOfAnOldRevisionIsCompacted() {
        compact();
        assertFails(ErrorKind.COMPACTED, follower.node().range(serializable(known)));
        assertThat(follower.node().status().revision()).isEqualTo(known);
    }

    @Test
    void aReadThatWaitsForTooLongTimesOut() {
        compact();
        CompletableFuture<Reply<OpResult.Range>> read = follower.node().range(serializable(0));
        cluster.simulation.run();
        follower.cutStore(true);
        long since = cluster.simulation.nanos();
        assertFails(ErrorKind.TIMEOUT, read);
        Duration took = Duration.ofNanos(cluster.simulation.nanos() - since);
        assertThat(took).isBetween(cluster.timeout, cluster.timeout.plusSeconds(1));
        assertThat(follower.node().stats().read().heldBytes()).isZero();
    }

    @Test
    void aHashIsNeverOfAnIncompleteHistory() {
        KvHash before = hash(leader, 0);
        compact();
        assertFails(ErrorKind.COMPACTED, follower.node().hashHistory(known));
        assertFails(ErrorKind.FUTURE_REVISION, follower.node().hashHistory(floor));
        assertFails(ErrorKind.TIMEOUT, follower.node().hashHistory(0));
        assertThat(follower.node().status().revision()).isEqualTo(known);
        cluster.network.heal();
        cluster.simulation.advance(Duration.ofMillis(300));
        assertThat(hash(follower, 0)).isEqualTo(hash(leader, 0)).isNotEqualTo(before);
    }

    /** Compacts everything that the follower knows, while it hears nothing of the leader. */
    private void compact() {
        cluster.network.cut(leader.index(), follower.index());
        floor = put("3");
        cluster.simulation.await(leader.node().submit(new Compact(floor, true)));
        assertThat(follower.node().status().revision()).isEqualTo(known);
    }

    private void assertReadsNewest(CompletableFuture<Reply<OpResult.Range>> read) {
        cluster.simulation.run();
        assertThat(read).isNotDone();
        cluster.network.heal();
        Reply<OpResult.Range> reply = cluster.simulation.await(read);
        reply.held().close();
        assertThat(reply.answer().revision()).isEqualTo(floor);
        assertValue("3", reply.answer());
    }

    private static void assertValue(String value, OpResult.Range range) {
        assertThat(range.kvs()).hasSize(1);
        KeyValue kv = KeyValue.decode(range.kvs().get(0));
        assertThat(StoredHistory.text(kv.value())).isEqualTo(value);
    }

    private void assertFails(ErrorKind kind, CompletableFuture<?> future) {
        assertThatThrownBy(() -> cluster.simulation.await(future))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    private KvHash hash(SimulatedServer server, long revision) {
        return cluster.simulation.await(server.node().hashHistory(revision));
    }

    private static RangeQuery serializable(long revision) {
        RangeQuery plain = RangeQuery.of(KEY);
        return new RangeQuery(
                plain.span(),
                0,
                revision,
                plain.sortOrder(),
                plain.sortTarget(),
                false,
                false,
                true,
                plain.filter());
    }

    private long put(String value) {
        Op put = new Op.Put(Bytes.utf8("k"), Bytes.utf8(value), 0, false, false, false);
        Reply<OpResult.Txn> reply = cluster.simulation.await(leader.node().txn(Txn.of(put), 100));
        reply.held().close();
        return reply.answer().revision();
    }
}
