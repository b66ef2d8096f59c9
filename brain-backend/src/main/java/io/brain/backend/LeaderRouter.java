package io.brain.backend;

import io.brain.backend.lead.Followership;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Releasable;
import io.brain.backend.peer.Leader;
import io.brain.backend.peer.LeaderCommand;
import io.brain.backend.peer.LeaderCommand.ListAlarms;
import io.brain.backend.peer.RaisedAlarms;
import io.brain.backend.revision.Revisions;
import io.brain.backend.runtime.BackendRuntime;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Asks the leader, wherever it is: this node, or another one. While none is known a call waits, as
 * a proposal does in etcd; one that the node asked surely did not take on is asked again. Its
 * answer is given when this node, too, knows the revision that it tells of: as in etcd, who asks
 * this node next sees no older state. Thread-safe.
 */
final class LeaderRouter {
    /** How a command ends that this node took as leader. */
    private static final PendingRequests.Ends REPEATABLE = () -> ErrorKind.TIMEOUT;

    /** How one ends that must not be repeated. */
    private static final PendingRequests.Ends AT_MOST_ONCE =
            new PendingRequests.Ends() {
                @Override
                public ErrorKind late() {
                    return ErrorKind.TIMEOUT;
                }

                @Override
                public BackendException failed(Throwable failure) {
                    return Failures.isOf(ErrorKind.LEADER_CHANGED, failure)
                            ? new BackendException(ErrorKind.LEADER_FAILED)
                            : Failures.of(failure);
                }
            };

    private final LocalLeader local;
    private final Followership followership;
    private final NodeStatus status;
    private final PendingRequests pending;
    private final BackendRuntime runtime;
    private final RevisionCatchUp revisions;
    private final WaitingCalls waiting;

    /** Of requests that wait for a leader, or that another node has. */
    private final ByteLimit bytes;

    /**
     * A router.
     *
     * @param status knows which leadership is the newest
     * @param pending also says how long a call may wait for a leader
     * @param bytesMax bytes of requests that wait for a leader or are forwarded
     */
    LeaderRouter(
            LocalLeader local,
            Followership followership,
            NodeStatus status,
            Revisions revisions,
            PendingRequests pending,
            BackendRuntime runtime,
            long bytesMax) {
        this.local = local;
        this.followership = followership;
        this.status = status;
        this.pending = pending;
        this.runtime = runtime;
        this.revisions = new RevisionCatchUp(revisions, followership, runtime);
        this.waiting = new WaitingCalls(runtime, () -> leader() != null);
        this.bytes = new ByteLimit(bytesMax);
    }

    /** Has the leader execute a command; ends in time, if the command has a deadline. */
    <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (!command.hasDeadline()) {
            Call<T> call = new Call<>(command);
            return call.begin(pending.answer(call.answer));
        }
        CompletableFuture<T> here = submitHere(command);
        if (here != null) {
            return pending.answerInTime(
                    here, command.kind().isRepeatable() ? REPEATABLE : AT_MOST_ONCE);
        }
        int wireBytes = command.wireBytes();
        if (!bytes.enter(wireBytes)) {
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        Call<T> call = new Call<>(command);
        Futures.onEnd(call.answer, (value, failure) -> bytes.leave(wireBytes));
        return call.begin(pending.answerInTime(call.answer, call::late));
    }

    /** The short way, of most commands: this node leads. Null if it does not. */
    private <T> CompletableFuture<T> submitHere(LeaderCommand<T> command) {
        if (!local.leads()) {
            return null;
        }
        CompletableFuture<T> answer = local.submit(command);
        return isNotLeader(answer) ? null : answer;
    }

    /** Has another node execute a command, and learns from it which alarms are raised. */
    private <T> CompletableFuture<T> submitTo(Leader other, LeaderCommand<T> command) {
        CompletableFuture<T> answer = other.submit(command);
        if (!command.concernsAlarms()) {
            return answer;
        }
        return answer.thenCompose(
                result -> {
                    if (result instanceof RaisedAlarms known) {
                        followership.learn(known);
                        return CompletableFuture.completedFuture(result);
                    }
                    return learnAlarms(other).handle((known, unknown) -> result);
                });
    }

    private CompletableFuture<RaisedAlarms> learnAlarms(Leader from) {
        return submitTo(from, new ListAlarms());
    }

    private static boolean isNotLeader(CompletableFuture<?> asked) {
        if (!asked.isCompletedExceptionally()) {
            return false;
        }
        try {
            asked.join();
            return false;
        } catch (CompletionException | CancellationException failure) {
            return Failures.isOf(ErrorKind.NOT_LEADER, failure);
        }
    }

    private Leader leader() {
        return local.leads() ? local : followership.leader();
    }

    /** A command on its way to the leader. */
    private final class Call<T> implements WaitingCalls.Call {
        private final LeaderCommand<T> command;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private volatile long inLineSince;

        /** A leader may have executed it; false again if it surely did not. */
        private volatile boolean asked;

        /** The leader that was asked and will not answer; null if there is none. */
        private volatile Leader lost;

        /** The leadership in which a leader was asked. */
        private volatile long epoch;

        Call(LeaderCommand<T> command) {
            this.command = command;
            this.inLineSince = runtime.clock().nanos();
        }

        /** Makes the first attempt; {@code shown} is what the caller waits for. */
        CompletableFuture<T> begin(CompletableFuture<T> shown) {
            // Given up, or ended by time: then nobody else need go on either.
            Futures.onEnd(shown, (value, failure) -> answer.cancel(false));
            attempt();
            return shown;
        }

        @Override
        public void attempt() {
            if (answer.isDone()) {
                return;
            }
            Leader leader = leader();
            boolean same = status.epoch() == epoch;
            if (leader == null || (leader == lost && same)) {
                standInLine();
                return;
            }
            if (lost != null) {
                end(same ? ErrorKind.CONNECTION_LOST : ErrorKind.LEADER_FAILED);
                return;
            }
            epoch = status.epoch();
            asked = true;
            CompletableFuture<T> asked = ask(leader);
            if (leader != local) {
                Futures.onEnd(answer, (value, failure) -> asked.cancel(false));
            }
            Futures.onEnd(
                    asked,
                    (value, failure) -> {
                        if (failure == null) {
                            give(value);
                        } else if (Failures.isOf(ErrorKind.NOT_LEADER, failure)) {
                            askAgain();
                        } else if (Failures.isOf(ErrorKind.LEADER_CHANGED, failure)) {
                            if (command.kind().isRepeatable()) {
                                askAgain();
                            } else {
                                lost = leader;
                                inLineSince = runtime.clock().nanos();
                                standInLine();
                            }
                        } else {
                            refuse(leader, failure);
                        }
                    });
        }

        /** Asks; a link that throws fails this call alone. */
        private CompletableFuture<T> ask(Leader leader) {
            try {
                return leader == local ? leader.submit(command) : submitTo(leader, command);
            } catch (RuntimeException broken) {
                return CompletableFuture.failedFuture(broken);
            }
        }

        private void askAgain() {
            asked = false;
            inLineSince = runtime.clock().nanos();
            standInLine();
        }

        /** How it ends if its time is over now. */
        ErrorKind late() {
            if (!asked) {
                return command.kind().withoutLeader();
            }
            boolean failed = !command.kind().isRepeatable() && status.epoch() != epoch;
            return failed ? ErrorKind.LEADER_FAILED : ErrorKind.TIMEOUT;
        }

        private void end(ErrorKind why) {
            answer.completeExceptionally(new BackendException(why));
        }

        /** Who was refused for space finds the alarm at this node: it may be new to it. */
        private void refuse(Leader by, Throwable failure) {
            if (by == local
                    || !Failures.isOf(ErrorKind.NO_SPACE, failure)
                    || followership.alarms().has(Alarm.NO_SPACE)) {
                answer.completeExceptionally(failure);
                return;
            }
            Futures.onEnd(
                    learnAlarms(by), (known, unknown) -> answer.completeExceptionally(failure));
        }

        @Override
        public boolean isOver() {
            if (runtime.clock().nanos() - inLineSince > pending.timeoutNanos()) {
                end(late());
            }
            return answer.isDone();
        }

        private void standInLine() {
            if (!waiting.add(this)) {
                end(lost != null ? ErrorKind.CONNECTION_LOST : ErrorKind.TOO_MANY_REQUESTS);
            }
        }

        private void give(T value) {
            CompletableFuture<Void> known = revisions.await(command.revision(value));
            if (known.isDone()) {
                complete(value);
                return;
            }
            Futures.onEnd(known, (done, failure) -> complete(value));
            Futures.onEnd(answer, (given, failure) -> known.cancel(false));
        }

        private void complete(T value) {
            if (!answer.complete(value)) {
                Releasable.discard(value);
            }
        }
    }
}
