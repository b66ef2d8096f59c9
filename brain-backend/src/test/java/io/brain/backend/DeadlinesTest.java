package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.election.ScriptedLeader;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.model.Txn;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Deadlines while all background tasks that read the store hang. */
class DeadlinesTest {
    private static final Txn PUT = Txn.of(NodeFixture.putOf("a", "1", 0));

    @Test
    void aRequestTimesOutWhileReadsAndBackgroundTasksHang() {
        NodeFixture fixture = new NodeFixture(1).open();
        fixture.simulation.readers().hold();
        fixture.simulation.logReaders().hold();
        fixture.simulation.background().hold();
        fixture.simulation.engine().hold();
        CompletableFuture<?> put = fixture.node.txn(PUT, 10);
        fixture.advance(Duration.ofMillis(7600));
        assertThat(put).isCompletedExceptionally();
        assertThat(Failures.of(put.handle((value, failure) -> failure).join()).kind())
                .isEqualTo(ErrorKind.TIMEOUT);
    }

    @Test
    void aTermBeginsWhileBackgroundTasksHang() {
        NodeFixture fixture = new NodeFixture(1);
        fixture.simulation.logReaders().hold();
        fixture.simulation.background().hold();
        fixture.open();
        assertThat(fixture.put("a", "1")).isEqualTo(2);
    }

    @Test
    void aWaitingCallIsSentAndAnsweredWhileBackgroundTasksHang() {
        ScriptedLeader leader = new ScriptedLeader();
        OpResult.Txn answer = new OpResult.Txn(9, true, List.of(new OpResult.Put(9, null)));
        leader.answers =
                name ->
                        CompletableFuture.completedFuture(
                                name.equals("GetReadPoint")
                                        ? leader.answer(9)
                                        : new Reply<>(answer, Reservation.NONE));
        leader.simulation.logReaders().hold();
        leader.simulation.background().hold();
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(200), 5);
        assertThat(leader.calls).containsExactly("RunTxn");
        leader.advanceInContact(Duration.ofMillis(1200), 5);
        assertThat(put).isCompleted();
    }
}
