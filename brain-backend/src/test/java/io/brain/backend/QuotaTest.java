package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.election.ScriptedLeader;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Txn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The quota of a follower, which may differ from its leader's. */
class QuotaTest {
    private static final long QUOTA = 10_000;
    private static final Txn PUT = Txn.of(NodeFixture.putOf("a", "1", 0));

    private final ScriptedLeader leader =
            new ScriptedLeader(
                    NodeSettings.defaults(8 << 20)
                            .withLimits(
                                    new NodeSettings.Limits(
                                            QUOTA, 1 << 20, 128, Duration.ofSeconds(7))));

    @Test
    void aFollowerChecksItsOwnQuotaAndRaisesTheAlarm() {
        leader.answers =
                name ->
                        name.equals("RaiseAlarm")
                                ? CompletableFuture.completedFuture(true)
                                : CompletableFuture.failedFuture(new IllegalStateException());
        leader.sendStoredBytes(QUOTA - 100);
        assertRefused(leader.node.txn(PUT, 10));
        assertThat(leader.calls).containsExactly("RaiseAlarm", "ListAlarms");
    }

    @Test
    void aLeaseCountsToo() {
        leader.sendStoredBytes(QUOTA - 65);
        CompletableFuture<?> fits = leader.node.submit(new GrantLease(7, 60));
        assertThat(leader.calls).containsExactly("GrantLease");
        assertThat(fits).isNotDone();
        leader.sendStoredBytes(QUOTA - 64);
        CompletableFuture<?> refused = leader.node.submit(new GrantLease(8, 60));
        assertThat(leader.calls).containsExactly("GrantLease", "RaiseAlarm");
        leader.advanceInContact(Duration.ofMillis(7600), 5);
        assertRefused(refused);
    }

    @Test
    void commandsThatNeedNoSpaceAreNotRefused() {
        leader.sendStoredBytes(QUOTA + 1);
        CompletableFuture<?> delete = leader.node.txn(Txn.of(NodeFixture.deleteOf("a")), 10);
        assertThat(leader.calls).containsExactly("RunTxn");
        assertThat(delete).isNotDone();
    }

    private static void assertRefused(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        assertThat(Failures.of(call.handle((value, failure) -> failure).join()).kind())
                .isEqualTo(ErrorKind.NO_SPACE);
    }
}
