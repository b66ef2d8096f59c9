package io.brain.backend;

import io.brain.backend.lead.Followership;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Releasable;
import io.brain.backend.peer.LeaderCalls;
import io.brain.backend.peer.RaisedAlarms;
import io.brain.backend.revision.Revisions;
import io.brain.backend.runtime.BackendRuntime;
import java.util.SortedSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Asks the leader, wherever it is: this node, or another one. While none is known a call waits, as
 * a proposal does in etcd; one that the node asked surely did not take on is asked again. Its
 * answer is given when this node, too, knows the revision that it tells of: as in etcd, who asks
 * this node next sees no older state. Thread-safe.
 */
final class LeaderRouter {
    /** A call's answer tells of no revision. */
    static final long NO_REVISION = 0;

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

    /**
     * Asks the leader; ends in time.
     *
     * @param revision of an answer, or {@link #NO_REVISION}
     */
    <T> CompletableFuture<T> ask(
            CallKind kind,
            Function<LeaderCalls, CompletableFuture<T>> what,
            ToLongFunction<T> revision) {
        return ask(kind, 0, what, revision);
    }

    /** The same with a request of so many bytes on the wire. */
    <T> CompletableFuture<T> ask(
            CallKind kind,
            int wireBytes,
            Function<LeaderCalls, CompletableFuture<T>> what,
            ToLongFunction<T> revision) {
        CompletableFuture<T> done = askHere(what);
        if (done != null) {
            return pending.answerInTime(done, kind);
        }
        if (!bytes.enter(wireBytes)) {
            return CompletableFuture.failedFuture(
                    new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        }
        Call<T> call = new Call<>(kind, what, revision);
        Futures.onEnd(call.answer, (value, failure) -> bytes.leave(wireBytes));
        return call.begin(pending.answerInTime(call.answer, call::late));
    }

    /** Like {@link #ask}, but takes as long as it takes once a leader has it. */
    <T> CompletableFuture<T> askPatiently(
            CallKind kind,
            Function<LeaderCalls, CompletableFuture<T>> what,
            ToLongFunction<T> revision) {
        Call<T> call = new Call<>(kind, what, revision);
        return call.begin(pending.answer(call.answer));
    }

    /** A compaction; who wants a physical one waits for as long as it takes. */
    CompletableFuture<Long> compact(long revision, boolean physical) {
        Function<LeaderCalls, CompletableFuture<Long>> what =
                calls -> calls.compact(revision, physical);
        return physical
                ? askPatiently(CallKind.PROPOSAL, what, Long::longValue)
                : ask(CallKind.PROPOSAL, what, Long::longValue);
    }

    /** The alarms that the leader knows of. */
    CompletableFuture<SortedSet<Alarm>> alarms() {
        return ask(CallKind.PROPOSAL, this::learnAlarms, known -> NO_REVISION)
                .thenApply(RaisedAlarms::alarms);
    }

    /** A change of alarms, which this node knows of, too, when it ends. */
    CompletableFuture<Boolean> changeAlarms(
            Function<LeaderCalls, CompletableFuture<Boolean>> change) {
        return ask(
                CallKind.PROPOSAL,
                calls ->
                        change.apply(calls)
                                .thenCompose(
                                        changed ->
                                                learnAlarms(calls)
                                                        .handle((known, unknown) -> changed)),
                changed -> NO_REVISION);
    }

    /** Has this node know of alarms what a leader knows now; ends with them. */
    private CompletableFuture<RaisedAlarms> learnAlarms(LeaderCalls from) {
        CompletableFuture<RaisedAlarms> alarms = from.alarms();
        if (from == local) {
            return alarms;
        }
        return alarms.thenApply(
                known -> {
                    followership.learn(known);
                    return known;
                });
    }

    /** The short way, of most calls: this node leads. Null if it does not. */
    private <T> CompletableFuture<T> askHere(Function<LeaderCalls, CompletableFuture<T>> what) {
        if (!local.leads()) {
            return null;
        }
        CompletableFuture<T> asked = what.apply(local);
        return isNotLeader(asked) ? null : asked;
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

    private LeaderCalls leader() {
        return local.leads() ? local : followership.leader();
    }

    /** A question to the leader. */
    private final class Call<T> implements WaitingCalls.Call {
        private final CallKind kind;
        private final Function<LeaderCalls, CompletableFuture<T>> what;
        private final ToLongFunction<T> revision;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private volatile long inLineSince;

        /** A leader may have executed it; false again if it surely did not. */
        private volatile boolean asked;

        /** The leader that was asked and will not answer; null if there is none. */
        private volatile LeaderCalls lost;

        /** The leadership in which a leader was asked. */
        private volatile long epoch;

        Call(
                CallKind kind,
                Function<LeaderCalls, CompletableFuture<T>> what,
                ToLongFunction<T> revision) {
            this.kind = kind;
            this.what = what;
            this.revision = revision;
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
            LeaderCalls leader = leader();
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
                            if (kind.isRepeatable()) {
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
        private CompletableFuture<T> ask(LeaderCalls leader) {
            try {
                return what.apply(leader);
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
                return kind.withoutLeader();
            }
            boolean failed = !kind.isRepeatable() && status.epoch() != epoch;
            return failed ? ErrorKind.LEADER_FAILED : ErrorKind.TIMEOUT;
        }

        private void end(ErrorKind why) {
            answer.completeExceptionally(new BackendException(why));
        }

        /** Who was refused for space finds the alarm at this node: it may be new to it. */
        private void refuse(LeaderCalls by, Throwable failure) {
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
            CompletableFuture<Void> known = revisions.await(revision.applyAsLong(value));
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
