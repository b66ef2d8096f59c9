package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.TtlRules;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A leader whose machine was suspended, and whose clock did not count that time. */
class StrictReadsTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration SUSPENDED = Duration.ofSeconds(5);
    private static final Bytes KEY = Bytes.utf8("a");

    /** What the old leader reads at once after its machine goes on. */
    private static String readAfterTakeover(boolean strictReads) {
        SimulatedCluster cluster = start(strictReads);
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

    /** Authentication was enabled while its machine was suspended. */
    @Test
    void whatAnOldLeaderReadsIsCheckedByTheNextLeadersUsers() {
        SimulatedCluster cluster = start(true);
        SimulatedServer old = cluster.leader();
        put(cluster, old, "1");
        old.suspend();
        cluster.simulation.advance(SUSPENDED);
        SimulatedServer next = cluster.leader();
        for (AuthChange change :
                List.of(
                        new AuthChange.AddUser("root", Bytes.EMPTY, false),
                        new AuthChange.GrantRole("root", "root"),
                        new AuthChange.Enable(Bytes.utf8("key")))) {
            Caller root = new Caller("root", next.node().auth().revision());
            cluster.simulation.await(next.node().submit(new ChangeAuth(change).by(root)));
        }
        old.wake();
        Throwable refused = catchThrowable(() -> read(cluster, old));
        assertThat(Failures.isOf(ErrorKind.USER_EMPTY, refused)).as("%s", refused).isTrue();
    }

    /** A read proves the leadership by a batch in which others write. */
    @Test
    void aReadDoesNotFailForLackOfSpace() {
        SimulatedCluster cluster = start(true);
        SimulatedServer leader = cluster.leader();
        put(cluster, leader, "1");
        leader.refuseCommits(1);
        Op put = new Op.Put(KEY, Bytes.utf8("2"), 0, false, false, false);
        var refused = leader.node().txn(Txn.of(put), 10);
        assertThat(read(cluster, leader)).isEqualTo("1");
        assertThatThrownBy(() -> cluster.simulation.await(refused))
                .matches(failure -> Failures.isOf(ErrorKind.NO_SPACE, failure));
    }

    private static SimulatedCluster start(boolean strictReads) {
        SimulatedCluster cluster =
                new SimulatedCluster(1, 3, 20_000, LEASE, () -> TtlRules.NONE, strictReads);
        cluster.simulation.advance(Duration.ofSeconds(10));
        return cluster;
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
