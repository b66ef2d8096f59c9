package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deferred ranges: those of write transactions that are read after the commit. */
class DeferredReadTest {
    private SimulatedCluster cluster;

    @Test
    void aDeferredRangeIsCompleteAlthoughTheNextLeaderCompactsItsRevision() {
        CompletableFuture<Reply<OpResult.Txn>> answer = readAfterTheNextLeaderCompacts(true);
        assertComplete(cluster.simulation.await(answer));
    }

    /** Pins do not hold back another node: without timestamps the state is lost. */
    @Test
    void withoutTimestampsItFailsIfTheNextLeaderCompactedItsRevision() {
        CompletableFuture<Reply<OpResult.Txn>> answer = readAfterTheNextLeaderCompacts(false);
        assertThatThrownBy(() -> cluster.simulation.await(answer))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.LEADER_FAILED));
        cluster.servers.forEach(SimulatedServer::checkNothingOpen);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeferredRangeIsCompleteAlthoughItsLeaderCompactsItsRevision(boolean opensTimestamps) {
        start(opensTimestamps);
        SimulatedServer leader = cluster.leader();
        CompletableFuture<Reply<OpResult.Txn>> answer = startTxn(leader);
        cluster.simulation.await(leader.node().submit(new Compact(change(leader), false)));
        cluster.simulation.advance(Duration.ofMillis(300));
        leader.readers().release();
        assertComplete(cluster.simulation.await(answer));
    }

    private CompletableFuture<Reply<OpResult.Txn>> readAfterTheNextLeaderCompacts(
            boolean opensTimestamps) {
        start(opensTimestamps);
        SimulatedServer first = cluster.leader();
        SimulatedServer second =
                cluster.servers.stream().filter(s -> s != first).findFirst().orElseThrow();
        CompletableFuture<Reply<OpResult.Txn>> answer = startTxn(first);
        long epoch = first.node().status().epoch();
        Futures.onEnd(
                first.node().cluster().moveLeader(second.node().status().memberId()),
                (done, failure) -> {});
        cluster.simulation.advance(Duration.ofSeconds(3));
        assertThat(second.node().status().epoch()).isGreaterThan(epoch);
        assertThat(cluster.leader()).isSameAs(second);
        cluster.simulation.await(second.node().submit(new Compact(change(second), true)));
        cluster.simulation.advance(Duration.ofMillis(300));
        first.readers().release();
        return answer;
    }

    private void start(boolean opensTimestamps) {
        cluster = new SimulatedCluster(3, 2, 20_000, opensTimestamps);
        cluster.simulation.advance(Duration.ofSeconds(5));
    }

    /** A transaction that is committed, and whose range waits for a reader thread. */
    private CompletableFuture<Reply<OpResult.Txn>> startTxn(SimulatedServer leader) {
        put(leader, "a", "1");
        put(leader, "b", "1");
        leader.readers().hold();
        Txn txn =
                new Txn(
                        List.of(),
                        List.of(op("c", "1"), new Op.Range(RangeQuery.of(ClusterClient.ALL))),
                        List.of());
        CompletableFuture<Reply<OpResult.Txn>> answer = leader.node().txn(txn, 100);
        cluster.simulation.run();
        return answer;
    }

    /** Replaces all that the transaction reads; returns the revision. */
    private long change(SimulatedServer leader) {
        put(leader, "a", "2");
        put(leader, "b", "2");
        return put(leader, "c", "2");
    }

    private static void assertComplete(Reply<OpResult.Txn> reply) {
        OpResult.Range range = (OpResult.Range) reply.answer().results().get(1);
        assertThat(range.count()).isEqualTo(3);
        assertThat(range.kvs()).hasSize(3);
    }

    private long put(SimulatedServer server, String key, String value) {
        Reply<OpResult.Txn> reply =
                cluster.simulation.await(server.node().txn(Txn.of(op(key, value)), 100));
        reply.held().close();
        return reply.answer().revision();
    }

    private static Op op(String key, String value) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8(value), 0, false, false, false);
    }
}
