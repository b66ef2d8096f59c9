package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.NodeFixture;
import io.brain.backend.cluster.election.ScriptedLeader;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls to a follower whose leader is simulated by the test. */
class LeaderRouterTest {
    private static final Txn PUT = Txn.of(NodeFixture.putOf("a", "1", 0));
    private static final int MIB = 1 << 20;

    /** Maximum number of waiting or forwarded requests of one MiB. */
    private static final int FORWARDED_MAX = 256;

    private static final RangeQuery READ = RangeQuery.of(KeySpan.of(Bytes.utf8("a")));

    private final ScriptedLeader leader = new ScriptedLeader();
    private final Queue<CompletableFuture<?>> answers = new ArrayDeque<>();

    LeaderRouterTest() {
        leader.answers = name -> answers.isEmpty() ? new CompletableFuture<>() : answers.remove();
    }

    @Test
    void withoutALeaderEachKindOfCommandFailsWithItsError() {
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        CompletableFuture<?> lease = leader.node.submit(new KeepLeaseAlive(1));
        CompletableFuture<?> read = leader.node.range(READ);
        leader.advance(Duration.ofMillis(6800));
        assertThat(List.of(put, lease, read)).noneMatch(CompletableFuture::isDone);
        leader.advance(Duration.ofMillis(900));
        assertFailed(put, ErrorKind.DEADLINE_EXCEEDED);
        assertFailed(lease, ErrorKind.NO_LEADER);
        assertFailed(read, ErrorKind.TIMEOUT);
        assertThat(leader.calls).isEmpty();
    }

    @Test
    void aCallWaitsForALeaderAndIsThenSent() {
        answers.add(put(5));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advance(Duration.ofMillis(200));
        assertThat(leader.calls).isEmpty();
        leader.advanceInContact(Duration.ofMillis(200), 5);
        assertThat(leader.calls).containsExactly("RunTxn");
        assertThat(put).isCompleted();
    }

    @Test
    void aCallIsNotSentToASilentLeader() {
        leader.sendStatus(5);
        leader.advance(Duration.ofMillis(300));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advance(Duration.ofMillis(50));
        assertThat(leader.calls).isEmpty();
        answers.add(put(5));
        leader.advanceInContact(Duration.ofMillis(200), 5);
        assertThat(leader.calls).containsExactly("RunTxn");
        assertThat(put).isCompleted();
    }

    @Test
    void bytesOfCallsThatWaitForALeaderAreLimited() {
        refusesAboveTheLimit();
        assertThat(leader.calls).isEmpty();
    }

    @Test
    void bytesOfForwardedCallsAreLimited() {
        leader.sendStatus(5);
        refusesAboveTheLimit();
        assertThat(leader.calls).hasSize(FORWARDED_MAX);
    }

    private void refusesAboveTheLimit() {
        List<CompletableFuture<?>> accepted = new ArrayList<>();
        for (int i = 0; i < FORWARDED_MAX; i++) {
            accepted.add(leader.node.txn(PUT, MIB));
        }
        assertThat(accepted).noneMatch(CompletableFuture::isDone);
        assertFailed(leader.node.txn(PUT, MIB), ErrorKind.TOO_MANY_REQUESTS);
        assertThat(leader.node.submit(new KeepLeaseAlive(1))).isNotDone();
        accepted.get(0).cancel(false);
        assertThat(leader.node.txn(PUT, MIB)).isNotDone();
        leader.calls.remove("KeepLeaseAlive");
        leader.calls.remove("RunTxn"); // the one after the cancelled one
    }

    @Test
    void aCallThatWasCertainlyNotExecutedIsSentAgain() {
        answers.add(failed(ErrorKind.NOT_LEADER));
        answers.add(failed(ErrorKind.NOT_LEADER));
        answers.add(put(5));
        leader.sendStatus(5);
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(200), 5);
        assertThat(leader.calls).containsExactly("RunTxn", "RunTxn", "RunTxn");
        assertThat(put).isCompleted();
    }

    @Test
    void waitingCallsAskARefusingLeaderOneAtATime() {
        leader.sendStatus(5);
        leader.answers = name -> failed(ErrorKind.NOT_LEADER);
        List<CompletableFuture<?>> puts = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            puts.add(leader.node.txn(PUT, 10));
        }
        leader.advanceInContact(Duration.ofMillis(500), 5);
        assertThat(leader.calls).hasSizeBetween(1020, 1100);
        assertThat(puts).noneMatch(CompletableFuture::isDone);
        leader.answers = name -> put(5);
        leader.advanceInContact(Duration.ofMillis(100), 5);
        assertThat(puts).allMatch(CompletableFuture::isDone);
    }

    @Test
    void possiblyExecutedWritesAreNotRepeatedButLeaseCallsAndReadsAre() {
        leader.sendStatus(5);
        answers.add(failed(ErrorKind.LEADER_CHANGED));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(200), 5);
        assertThat(leader.calls).containsExactly("RunTxn");
        assertThat(put).as("still the same link to the same leader").isNotDone();
        answers.add(failed(ErrorKind.LEADER_CHANGED));
        answers.add(CompletableFuture.completedFuture(new GrantedLease(1, 9, 5)));
        CompletableFuture<GrantedLease> lease = leader.node.submit(new KeepLeaseAlive(1));
        leader.advanceInContact(Duration.ofMillis(100), 5);
        assertThat(lease.join().ttl()).isEqualTo(9);
        answers.add(failed(ErrorKind.LEADER_CHANGED));
        answers.add(CompletableFuture.completedFuture(leader.answer(5)));
        CompletableFuture<Reply<OpResult.Range>> read = leader.node.range(READ);
        leader.advanceInContact(Duration.ofMillis(100), 5);
        assertThat(read.join().answer().revision()).isEqualTo(5);
    }

    @Test
    void aWriteInterruptedByAFailoverFailsWithLeaderFailed() {
        leader.sendStatus(5);
        answers.add(failed(ErrorKind.LEADER_CHANGED));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.breakStream();
        leader.advance(Duration.ofMillis(200));
        assertThat(put).isNotDone();
        leader.nextEpoch();
        leader.advance(Duration.ofSeconds(1));
        leader.sendStatus(5);
        leader.advance(Duration.ofMillis(100));
        assertFailed(put, ErrorKind.LEADER_FAILED);
    }

    @Test
    void aWriteWithABrokenConnectionFailsWithConnectionLost() {
        leader.sendStatus(5);
        answers.add(failed(ErrorKind.LEADER_CHANGED));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.breakStream();
        leader.advance(Duration.ofSeconds(1));
        assertThat(put).isNotDone();
        leader.sendStatus(5);
        leader.advance(Duration.ofMillis(100));
        assertFailed(put, ErrorKind.CONNECTION_LOST);
    }

    @Test
    void aWriteTimesOutIfNoLeaderIsFoundAfterALoss() {
        leader.sendStatus(5);
        answers.add(failed(ErrorKind.LEADER_CHANGED));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.breakStream();
        leader.advance(Duration.ofMillis(7600));
        assertFailed(put, ErrorKind.TIMEOUT);
        assertThat(leader.calls).containsExactly("RunTxn");
    }

    @Test
    void anUnansweredCallTimesOutAndIsCancelledAtTheLeader() {
        CompletableFuture<Object> silent = new CompletableFuture<>();
        answers.add(silent);
        leader.sendStatus(5);
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(7600), 5);
        assertFailed(put, ErrorKind.TIMEOUT);
        assertThat(silent).isCancelled();
    }

    @Test
    void anExceptionInTheLinkFailsOnlyItsCall() {
        leader.answers =
                name -> {
                    if (name.equals("RevokeLease")) {
                        throw new IllegalStateException("call already closed");
                    }
                    return put(5);
                };
        CompletableFuture<?> broken = leader.node.submit(new RevokeLease(1));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(200), 5);
        assertFailed(broken, ErrorKind.INTERNAL);
        assertThat(put).isCompleted();
    }

    @Test
    void aCancelledCallIsCancelledAtTheLeader() {
        CompletableFuture<Object> silent = new CompletableFuture<>();
        answers.add(silent);
        leader.sendStatus(5);
        assertThat(leader.node.txn(PUT, 10).cancel(false)).isTrue();
        assertThat(silent).isCancelled();
    }

    @Test
    void anAnswerWaitsUntilThisNodeShowsItsRevision() {
        leader.sendStatus(5);
        answers.add(put(6));
        CompletableFuture<?> put = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(500), 5);
        assertThat(put).isNotDone();
        leader.advanceInContact(Duration.ofMillis(100), 6);
        assertThat(put).isCompleted();
        answers.add(put(7));
        CompletableFuture<?> late = leader.node.txn(PUT, 10);
        leader.advanceInContact(Duration.ofMillis(900), 6);
        assertThat(late).isNotDone();
        answers.add(CompletableFuture.completedFuture(leader.answer(8)));
        leader.advanceInContact(Duration.ofMillis(200), 6);
        assertThat(late).isCompleted();
        assertThat(leader.calls).containsExactly("RunTxn", "RunTxn", "GetReadPoint");
        assertThat(leader.node.status().revision()).isEqualTo(8);
    }

    @Test
    void readsBeforeARequestShareItAndLaterReadsShareTheNext() {
        leader.sendStatus(5);
        CompletableFuture<Object> first = new CompletableFuture<>();
        answers.add(first);
        List<CompletableFuture<Reply<OpResult.Range>>> reads =
                List.of(leader.node.range(READ), leader.node.range(READ), leader.node.range(READ));
        assertThat(leader.calls).containsExactly("GetReadPoint");
        answers.add(CompletableFuture.completedFuture(leader.answer(5)));
        first.complete(leader.answer(5));
        leader.simulation.run();
        assertThat(leader.calls).containsExactly("GetReadPoint", "GetReadPoint");
        assertThat(reads).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aReadThatWaitsForAnUnansweredRequestTimesOut() {
        leader.sendStatus(5);
        CompletableFuture<?> first = leader.node.range(READ);
        leader.advanceInContact(Duration.ofSeconds(1), 5);
        CompletableFuture<?> second = leader.node.range(READ);
        leader.advanceInContact(Duration.ofMillis(7600), 5);
        assertFailed(first, ErrorKind.TIMEOUT);
        assertFailed(second, ErrorKind.TIMEOUT);
    }

    private static CompletableFuture<Reply<OpResult.Txn>> put(long revision) {
        OpResult.Txn answer =
                new OpResult.Txn(revision, true, List.of(new OpResult.Put(revision, null)));
        return CompletableFuture.completedFuture(new Reply<>(answer, Reservation.NONE));
    }

    private static CompletableFuture<?> failed(ErrorKind kind) {
        return CompletableFuture.failedFuture(new BackendException(kind));
    }

    private static void assertFailed(CompletableFuture<?> call, ErrorKind kind) {
        assertThat(call).isCompletedExceptionally();
        assertThat(Failures.of(call.handle((value, failure) -> failure).join()).kind())
                .isEqualTo(kind);
    }
}
