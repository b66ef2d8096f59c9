package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
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

/** Deferred ranges: those of write transactions that are read after the commit. */
class DeferredReadTest {
    private final SimulatedCluster cluster = new SimulatedCluster(3, 2);

    @Test
    void aDeferredRangeIsCompleteAlthoughTheNextLeaderCompactsItsRevision() {
        cluster.simulation.advance(Duration.ofSeconds(5));
        SimulatedServer first = cluster.leader();
        SimulatedServer second =
                cluster.servers.stream().filter(s -> s != first).findFirst().orElseThrow();
        put(first, "a", "1");
        put(first, "b", "1");
        first.readers().hold();
        Txn txn =
                new Txn(
                        List.of(),
                        List.of(op("c", "1"), new Op.Range(RangeQuery.of(ClusterClient.ALL))),
                        List.of());
        CompletableFuture<Reply<OpResult.Txn>> answer = first.node().txn(txn, 100);
        cluster.simulation.run();
        long epoch = first.node().status().epoch();
        Futures.onEnd(
                first.node().cluster().moveLeader(second.node().status().memberId()),
                (done, failure) -> {});
        cluster.simulation.advance(Duration.ofSeconds(3));
        assertThat(second.node().status().epoch()).isGreaterThan(epoch);
        assertThat(cluster.leader()).isSameAs(second);
        put(second, "a", "2");
        put(second, "b", "2");
        long newest = put(second, "c", "2");
        cluster.simulation.await(second.node().submit(new Compact(newest, true)));
        cluster.simulation.advance(Duration.ofMillis(300));
        first.readers().release();
        OpResult.Range range =
                (OpResult.Range) cluster.simulation.await(answer).answer().results().get(1);
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
