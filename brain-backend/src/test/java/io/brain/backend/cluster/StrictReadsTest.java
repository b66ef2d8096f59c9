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
import org.junit.jupiter.api.Test;

/** A leader whose machine was suspended, and whose clock did not count that time. */
class StrictReadsTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration SUSPENDED = Duration.ofSeconds(5);
    private static final Bytes KEY = Bytes.utf8("a");

    /** What the old leader reads at once after its machine goes on. */
    private static String readAfterTakeover(boolean strictReads) {
        SimulatedCluster cluster =
                new SimulatedCluster(1, 3, 20_000, LEASE, () -> TtlRules.NONE, strictReads);
        cluster.simulation.advance(Duration.ofSeconds(10));
        SimulatedServer old = cluster.leader();
        put(cluster, old, "1");
        assertThat(read(cluster, old)).isEqualTo("1");
        old.suspend();
        cluster.simulation.advance(SUSPENDED);
        SimulatedServer next = cluster.leader();
        assertThat(next).isNotSameAs(old);
        put(cluster, next, "2");
        old.wake();
        return read(cluster, old);
    }

    @Test
    void withStrictReadsItReadsNothingOld() {
        assertThat(readAfterTakeover(true)).isEqualTo("2");
    }

    /** The risk that the flag removes. */
    @Test
    void withoutStrictReadsItReadsTheOldState() {
        assertThat(readAfterTakeover(false)).isEqualTo("1");
    }

    private static void put(SimulatedCluster cluster, SimulatedServer server, String value) {
        Op put = new Op.Put(KEY, Bytes.utf8(value), 0, false, false, false);
        cluster.simulation.await(server.node().txn(Txn.of(put), 10));
    }

    private static String read(SimulatedCluster cluster, SimulatedServer server) {
        var reply = cluster.simulation.await(server.node().range(RangeQuery.of(KeySpan.of(KEY))));
        reply.held().close();
        KeyValue kv = KeyValue.decode(reply.answer().kvs().get(0));
        return StoredHistory.text(kv.value());
    }
}
