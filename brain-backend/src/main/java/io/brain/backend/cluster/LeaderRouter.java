package io.brain.backend.cluster;

import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.Follower;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.GetAuth;
import io.brain.backend.cluster.link.LeaderCommand.GetReadPoint;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.fair.FairLimit;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.store.Revisions;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends commands to the leader, which is this node or another one. Without a leader a command
 * waits, like a proposal in etcd. The result is returned once this node shows its revision: as in
 * etcd, later reads on this node see no older state. Thread-safe.
 */
public final class LeaderRouter {
    private static final int CALLS_MAX = 20_000;
    private static final Duration ATTEMPT_INTERVAL = Duration.ofMillis(10);

    /** Time after which this node asks the leader for a revision that no event stream brought. */
    private static final Duration STREAM_MAX = Duration.ofSeconds(1);

    private final Elector elector;
    private final LocalLeader local;
    private final PendingRequests pending;
    private final BackendRuntime runtime;
    private final Revisions revisions;

    /** Calls with a deadline that wait for a leader or are forwarded. */
    private final FairLimit calls;

    /** Calls that wait for a leader, in order of arrival. */
    private final Queue<RoutedCall<?>> waiting = new ConcurrentLinkedQueue<>();

    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicBoolean attemptScheduled = new AtomicBoolean();
    private final AtomicBoolean catchingUp = new AtomicBoolean();

    /**
     * True if a call was refused because the leader does not lead, and none was accepted since:
     * then waiting calls are sent one at a time.
     */
    private volatile boolean refused;

    /**
     * Creates a router.
     *
     * @param pending also has the maximum time for which a command waits for a leader
     * @param bytesMax maximum bytes of the requests that wait for a leader or are forwarded; a
     *     single request may have more
     */
    public LeaderRouter(
            Elector elector,
            LocalLeader local,
            Revisions revisions,
            PendingRequests pending,
            BackendRuntime runtime,
            long bytesMax) {
        this.elector = elector;
        this.local = local;
        this.pending = pending;
        this.runtime = runtime;
        this.revisions = revisions;
        this.calls = new FairLimit(CALLS_MAX, bytesMax);
    }

    /** Lets the leader execute a command, within the request timeout if it has a deadline. */
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (!command.hasDeadline()) {
            RoutedCall<T> call = new RoutedCall<>(command, this, runtime.clock());
            return call.start(pending.withoutTimeout(call.answer()));
        }
        CompletableFuture<T> local = command.hasSteps() ? null : submitHere(command);
        if (local == null) {
            return route(command);
        }
        CompletableFuture<T> answer = orElseRoute(local, command);
        return command.kind().isRepeatable()
                ? pending.withTimeout(answer, () -> ErrorKind.TIMEOUT)
                : pending.withTimeout(
                        answer, () -> ErrorKind.TIMEOUT, LeaderRouter::possiblyExecuted);
    }

    /** Other commands than transactions may be refused after a first step, such as a read. */
    private <T> CompletableFuture<T> orElseRoute(
            CompletableFuture<T> local, LeaderCommand<T> command) {
        return local.isDone() || command.plain() instanceof RunTxn
                ? local
                : local.exceptionallyCompose(
                        failure ->
                                Failures.isOf(ErrorKind.NOT_LEADER, failure)
                                        ? route(command)
                                        : CompletableFuture.failedFuture(failure));
    }

    /** Sends a command to the leader, once there is one. */
    private <T> CompletableFuture<T> route(LeaderCommand<T> command) {
        int wireBytes = command.wireBytes();
        Tenant tenant = command.caller().tenant();
        if (!calls.enter(tenant, wireBytes)) {
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        RoutedCall<T> call = new RoutedCall<>(command, this, runtime.clock());
        Futures.onEnd(call.answer(), (value, failure) -> calls.leave(tenant, wireBytes));
        return call.start(pending.withTimeout(call.answer(), call::lateError));
    }

    /**
     * Executes a command on this node; null if it does not lead, or may not lead any more and the
     * command can be sent to the next leader.
     */
    private <T> CompletableFuture<T> submitHere(LeaderCommand<T> command) {
        if (!local.leads() || (command.kind().isRepeatable() && !local.leadsSurely())) {
            return null;
        }
        CompletableFuture<T> answer = local.submit(command);
        return answer.isCompletedExceptionally()
                        && Failures.isOf(ErrorKind.NOT_LEADER, failureOf(answer))
                ? null
                : answer;
    }

    private static Throwable failureOf(CompletableFuture<?> answer) {
        return answer.handle((value, failure) -> failure).join();
    }

    private static BackendException possiblyExecuted(Throwable failure) {
        return Failures.isOf(ErrorKind.LEADER_CHANGED, failure)
                ? new BackendException(ErrorKind.LEADER_FAILED)
                : Failures.of(failure);
    }

    /** The leader for new calls; null if none is known, or it is silent: another may soon lead. */
    Leader leader() {
        if (local.leads()) {
            return local;
        }
        Follower follower = elector.follower();
        return follower.untilSilent().isZero() ? null : follower.leader();
    }

    long epoch() {
        return elector.newestFence().epoch();
    }

    /** The time for which a call may wait for a leader. */
    long timeoutNanos() {
        return pending.timeoutNanos();
    }

    /** Sends a command; after one about alarms this node knows the alarms that the leader knows. */
    <T> CompletableFuture<T> send(Leader leader, LeaderCommand<T> command) {
        CompletableFuture<T> answer;
        try {
            answer = leader.submit(command);
        } catch (RuntimeException failure) { // of the link
            return CompletableFuture.failedFuture(failure);
        }
        if (leader == local || !command.concernsAlarms()) {
            return answer;
        }
        return answer.thenCompose(
                result -> {
                    if (result instanceof RaisedAlarms alarms) {
                        elector.follower().learn(alarms);
                        return CompletableFuture.completedFuture(result);
                    }
                    return learnAlarms(leader).handle((alarms, failure) -> result);
                });
    }

    /** If a call failed because of an alarm, completes once this node knows the alarm. */
    CompletableFuture<?> learnCause(Leader leader, Throwable failure) {
        return leader != local
                        && Failures.isOf(ErrorKind.NO_SPACE, failure)
                        && !elector.follower().alarms().has(Alarm.NO_SPACE)
                ? learnAlarms(leader)
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<RaisedAlarms> learnAlarms(Leader leader) {
        return send(leader, new ListAlarms());
    }

    /** Completes once this node knows the leader's state of authentication of that version. */
    CompletableFuture<?> awaitAuth(Leader leader, long version) {
        PublishedAuth known = elector.follower().auth();
        return known.current().version() >= version
                ? CompletableFuture.completedFuture(null)
                : send(leader, new GetAuth()).thenAccept(known::publish);
    }

    /** Completes once this node shows a revision of the leader, or when there is no leader. */
    CompletableFuture<Void> awaitRevision(long revision) {
        CompletableFuture<Void> shown = revisions.await(revision);
        if (!shown.isDone()) {
            Scheduler.Timer late = scheduleCatchUp(shown);
            Futures.onEnd(shown, (done, failure) -> late.cancel());
        }
        return shown;
    }

    private Scheduler.Timer scheduleCatchUp(CompletableFuture<Void> shown) {
        return runtime.scheduler().schedule(STREAM_MAX, runtime.prompt(), () -> catchUp(shown));
    }

    private void catchUp(CompletableFuture<Void> shown) {
        Leader leader = elector.follower().leader();
        if (leader == null || shown.isDone()) {
            shown.complete(null);
            return;
        }
        scheduleCatchUp(shown); // in case that this read point is too old
        if (catchingUp.compareAndSet(false, true)) {
            Futures.onEnd(
                    send(leader, new GetReadPoint()),
                    (point, failure) -> {
                        catchingUp.set(false);
                        if (failure == null) {
                            elector.follower().publish(point.point());
                        }
                    });
        }
    }

    /** Lets a call wait for a leader; false if too many calls wait. */
    boolean enqueue(RoutedCall<?> call) {
        if (waitingCount.incrementAndGet() > CALLS_MAX) {
            waitingCount.decrementAndGet();
            return false;
        }
        waiting.add(call);
        scheduleAttempts();
        return true;
    }

    private void scheduleAttempts() {
        if (waitingCount.get() > 0 && attemptScheduled.compareAndSet(false, true)) {
            runtime.scheduler().schedule(ATTEMPT_INTERVAL, runtime.prompt(), this::attempt);
        }
    }

    /** Notes whether the leader refused a call because it does not lead. */
    void answered(boolean notLeader) {
        if (refused != notLeader) {
            refused = notLeader;
            if (!notLeader) {
                runtime.prompt().execute(this::attempt);
            }
        }
    }

    private void attempt() {
        attemptScheduled.set(false);
        try {
            int sendMax = leader() == null ? 0 : refused ? 1 : Integer.MAX_VALUE;
            for (int left = waitingCount.get(); left > 0; left--) {
                RoutedCall<?> call = waiting.poll();
                if (call == null) {
                    return;
                }
                if (call.isOver() || call.isLost() || sendMax-- > 0) {
                    waitingCount.decrementAndGet();
                    call.attempt();
                } else {
                    waiting.add(call);
                }
            }
        } finally {
            scheduleAttempts();
        }
    }
}
