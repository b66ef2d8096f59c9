package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Follower;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Releasable;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Revisions;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sends commands to the leader, which is this node or another one. Without a leader a command
 * waits, as a proposal does in etcd. It is sent again if the node that got it surely did not
 * execute it. The result is returned once this node shows its revision: as in etcd, later reads on
 * this node see no older state. Thread-safe.
 */
public final class LeaderRouter {
    /** How a repeatable command fails that this node accepted as leader. */
    private static final PendingRequests.Ends REPEATABLE = () -> ErrorKind.TIMEOUT;

    /** How one fails that must not be repeated. */
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
    private final Follower followership;
    private final StatusReporter status;
    private final PendingRequests pending;
    private final BackendRuntime runtime;
    private final RevisionCatchUp revisions;
    private final WaitingCalls waiting;

    /** Bytes of requests that wait for a leader or are forwarded. */
    private final ByteLimit bytes;

    /**
     * A router.
     *
     * @param status knows the newest epoch
     * @param pending also says how long a command may wait for a leader
     * @param bytesMax bytes of requests that wait for a leader or are forwarded
     */
    public LeaderRouter(
            LocalLeader local,
            Follower followership,
            StatusReporter status,
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

    /** Has the leader execute a command, within the request timeout if it has a deadline. */
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
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

    /** Executes a command on this node; null if it does not lead. */
    private <T> CompletableFuture<T> submitHere(LeaderCommand<T> command) {
        if (!local.leads()) {
            return null;
        }
        CompletableFuture<T> answer = local.submit(command);
        return isNotLeader(answer) ? null : answer;
    }

    /** Forwards a command; if it concerns alarms, this node then knows what the leader knows. */
    private <T> CompletableFuture<T> forward(Leader other, LeaderCommand<T> command) {
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
        return forward(from, new ListAlarms());
    }

    private static boolean isNotLeader(CompletableFuture<?> answer) {
        if (!answer.isCompletedExceptionally()) {
            return false;
        }
        try {
            answer.join();
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
        private volatile long waitingSince;

        /** A leader may have executed it; false again if it surely did not. */
        private volatile boolean sent;

        /** The leader that has it and will not answer; null if there is none. */
        private volatile Leader lost;

        /** The epoch in which it was sent. */
        private volatile long epoch;

        Call(LeaderCommand<T> command) {
            this.command = command;
            this.waitingSince = runtime.clock().nanos();
        }

        /** Makes the first attempt; {@code shown} is what the caller waits for. */
        CompletableFuture<T> begin(CompletableFuture<T> shown) {
            // Cancelled or timed out: the leader need not go on either.
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
                enqueue();
                return;
            }
            if (lost != null) {
                end(same ? ErrorKind.CONNECTION_LOST : ErrorKind.LEADER_FAILED);
                return;
            }
            epoch = status.epoch();
            sent = true;
            CompletableFuture<T> result = send(leader);
            if (leader != local) {
                Futures.onEnd(answer, (value, failure) -> result.cancel(false));
            }
            Futures.onEnd(
                    result,
                    (value, failure) -> {
                        if (failure == null) {
                            await(value);
                        } else if (Failures.isOf(ErrorKind.NOT_LEADER, failure)) {
                            retry();
                        } else if (Failures.isOf(ErrorKind.LEADER_CHANGED, failure)) {
                            if (command.kind().isRepeatable()) {
                                retry();
                            } else {
                                lost = leader;
                                waitingSince = runtime.clock().nanos();
                                enqueue();
                            }
                        } else {
                            fail(leader, failure);
                        }
                    });
        }

        /** Sends it; a link that throws fails this call alone. */
        private CompletableFuture<T> send(Leader leader) {
            try {
                return leader == local ? leader.submit(command) : forward(leader, command);
            } catch (RuntimeException broken) {
                return CompletableFuture.failedFuture(broken);
            }
        }

        private void retry() {
            sent = false;
            waitingSince = runtime.clock().nanos();
            enqueue();
        }

        /** How it fails if its time is over now. */
        ErrorKind late() {
            if (!sent) {
                return command.kind().withoutLeader();
            }
            boolean failed = !command.kind().isRepeatable() && status.epoch() != epoch;
            return failed ? ErrorKind.LEADER_FAILED : ErrorKind.TIMEOUT;
        }

        private void end(ErrorKind why) {
            answer.completeExceptionally(new BackendException(why));
        }

        /** A client refused for lack of space finds the alarm on this node. */
        private void fail(Leader by, Throwable failure) {
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
            if (runtime.clock().nanos() - waitingSince > pending.timeoutNanos()) {
                end(late());
            }
            return answer.isDone();
        }

        private void enqueue() {
            if (!waiting.add(this)) {
                end(lost != null ? ErrorKind.CONNECTION_LOST : ErrorKind.TOO_MANY_REQUESTS);
            }
        }

        /** Completes once this node shows the revision of the result. */
        private void await(T value) {
            CompletableFuture<Void> known = revisions.await(command.revision(value));
            if (known.isDone()) {
                complete(value);
                return;
            }
            Futures.onEnd(known, (done, failure) -> complete(value));
            Futures.onEnd(answer, (done, failure) -> known.cancel(false));
        }

        private void complete(T value) {
            if (!answer.complete(value)) {
                Releasable.discard(value);
            }
        }
    }
}
