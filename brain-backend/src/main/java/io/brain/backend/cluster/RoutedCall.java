package io.brain.backend.cluster;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Reply;
import io.brain.backend.runtime.Clock;
import java.util.concurrent.CompletableFuture;

/**
 * A command that waits for a leader or was sent to one. It is sent again if the leader certainly
 * did not execute it, or if it is repeatable; and once, of its caller verified again, if the leader
 * knows later users. If a leader may have executed one that is not, it fails once it is known
 * whether the connection or the leader was lost. Thread-safe.
 */
final class RoutedCall<T> {
    private final LeaderRouter router;
    private final Clock clock;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private volatile LeaderCommand<T> command;
    private volatile long waitingSince;

    /** True if its caller was verified again. */
    private volatile boolean verifiedAgain;

    /** True if a leader may have executed it. */
    private volatile boolean sent;

    /** The leader that may have executed it and will not answer; null if there is none. */
    private volatile Leader lost;

    /** The epoch at the last attempt. */
    private volatile long epoch;

    RoutedCall(LeaderCommand<T> command, LeaderRouter router, Clock clock) {
        this.command = command;
        this.router = router;
        this.clock = clock;
        this.waitingSince = clock.nanos();
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    /** Makes the first attempt; returns {@code shown}, the future that the client has. */
    CompletableFuture<T> start(CompletableFuture<T> shown) {
        // If the client cancels, or after the timeout, the leader need not continue.
        Futures.onEnd(shown, (value, failure) -> answer.cancel(false));
        attempt();
        return shown;
    }

    /** Sends the command, or waits for a leader. */
    void attempt() {
        if (answer.isDone()) {
            return;
        }
        Leader leader = router.leader();
        boolean sameEpoch = router.epoch() == epoch;
        if (leader == null || (leader == lost && sameEpoch)) {
            enqueue();
            return;
        }
        if (lost != null) {
            fail(sameEpoch ? ErrorKind.CONNECTION_LOST : ErrorKind.LEADER_FAILED);
            return;
        }
        epoch = router.epoch();
        sent = true;
        CompletableFuture<T> result = router.send(leader, command);
        if (!(leader instanceof LocalLeader)) {
            Futures.onEnd(answer, (value, failure) -> result.cancel(false));
        }
        Futures.onEnd(
                result,
                (value, failure) -> {
                    boolean notLeader = Failures.isOf(ErrorKind.NOT_LEADER, failure);
                    router.answered(notLeader);
                    if (failure == null) {
                        completeWhenShown(leader, value);
                    } else {
                        failed(leader, failure, notLeader);
                    }
                });
    }

    private void failed(Leader leader, Throwable failure, boolean notExecuted) {
        if (Failures.isOf(ErrorKind.AUTH_OLD_REVISION, failure) && !verifiedAgain) {
            verifiedAgain = true;
            long newer = AuthState.versionAfter(command.caller().authRevision());
            Futures.onEnd(
                    router.awaitAuth(leader, newer), (known, unlearned) -> verifyAgain(failure));
            return;
        }
        boolean unknown = Failures.isOf(ErrorKind.LEADER_CHANGED, failure);
        if (!notExecuted && !unknown) {
            Futures.onEnd(
                    router.learnCause(leader, failure),
                    (alarms, unlearned) -> answer.completeExceptionally(failure));
            return;
        }
        if (notExecuted || command.kind().isRepeatable()) {
            sent = false;
        } else {
            lost = leader;
        }
        waitingSince = clock.nanos();
        enqueue();
    }

    /** Sends the command again, unless its caller's revision stays the one that was refused. */
    private void verifyAgain(Throwable refusal) {
        Caller caller = command.caller();
        try {
            Caller verified = caller.verifiedAgain();
            if (verified.authRevision() <= caller.authRevision()) {
                answer.completeExceptionally(refusal);
                return;
            }
            command = command.plain().by(verified);
        } catch (RuntimeException invalid) {
            answer.completeExceptionally(invalid);
            return;
        }
        sent = false;
        waitingSince = clock.nanos();
        attempt();
    }

    /** The error if the timeout ended now. */
    ErrorKind lateError() {
        if (!sent) {
            return command.kind().withoutLeader();
        }
        boolean failed = !command.kind().isRepeatable() && router.epoch() != epoch;
        return failed ? ErrorKind.LEADER_FAILED : ErrorKind.TIMEOUT;
    }

    /** True if it will fail once the next leader, or the loss of this one, is known. */
    boolean isLost() {
        return lost != null;
    }

    /** True if the call is complete; fails it if it has waited for too long. */
    boolean isOver() {
        if (clock.nanos() - waitingSince > router.timeoutNanos()) {
            fail(lateError());
        }
        return answer.isDone();
    }

    private void fail(ErrorKind why) {
        answer.completeExceptionally(new BackendException(why));
    }

    private void enqueue() {
        if (!router.enqueue(this)) {
            fail(lost != null ? ErrorKind.CONNECTION_LOST : ErrorKind.TOO_MANY_REQUESTS);
        }
    }

    private void completeWhenShown(Leader leader, T value) {
        CompletableFuture<Void> shown = router.awaitRevision(command.revision(value));
        Futures.onEnd(
                shown,
                (done, failure) ->
                        Futures.onEnd(
                                router.awaitAuth(leader, command.authVersion(value)),
                                (known, unknown) -> complete(leader, value, unknown)));
        Futures.onEnd(answer, (done, failure) -> shown.cancel(false));
    }

    /**
     * Completes the call.
     *
     * @param unknown why this node does not know the state of authentication of the answer; null if
     *     it does
     */
    private void complete(Leader leader, T value, Throwable unknown) {
        if (unknown != null) {
            Reply.discard(value);
            failed(leader, new BackendException(ErrorKind.LEADER_CHANGED), false);
        } else if (!answer.complete(value)) {
            Reply.discard(value);
        }
    }
}
