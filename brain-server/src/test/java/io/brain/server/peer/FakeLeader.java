package io.brain.server.peer;

import io.brain.backend.lease.GrantedLease;
import io.brain.backend.lease.LeaseTimes;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Txn;
import io.brain.backend.peer.LeaderCalls;
import io.brain.backend.peer.LeaderId;
import io.brain.backend.peer.LeaderSide;
import io.brain.backend.peer.RaisedAlarms;
import io.brain.backend.peer.TailSource;
import io.brain.backend.peer.TailTarget;
import io.brain.backend.read.Reply;
import io.brain.backend.revision.ReadPoint;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A leader whose answers the test gives. */
final class FakeLeader implements LeaderSide, LeaderCalls {
    static final LeaderId ID = new LeaderId(0xc1, 0x1ead, 1);

    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<Tail> tails = new LinkedBlockingQueue<>();

    /** One call: what it asks, and what answers it. */
    record Asked(List<Object> what, CompletableFuture<Object> answer) {}

    /** One stream. */
    static final class Tail implements TailSource {
        final long from;
        final TailTarget target;
        final AtomicInteger ready = new AtomicInteger();
        final CompletableFuture<Void> closed = new CompletableFuture<>();

        Tail(long from, TailTarget target) {
            this.from = from;
            this.target = target;
        }

        @Override
        public void ready() {
            ready.incrementAndGet();
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }

    /** The next call. */
    Asked next() throws InterruptedException {
        Asked next = asked.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no call came");
        }
        return next;
    }

    /** The next stream. */
    Tail nextTail() throws InterruptedException {
        Tail next = tails.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no stream came");
        }
        return next;
    }

    /** True if no call waits to be seen. */
    boolean isIdle() {
        return asked.isEmpty();
    }

    @Override
    public LeaderCalls calls(LeaderId meant) {
        if (!meant.equals(ID)) {
            throw new BackendException(ErrorKind.NOT_LEADER);
        }
        return this;
    }

    @Override
    public TailSource tail(LeaderId meant, long from, TailTarget target) {
        Tail tail = new Tail(from, target);
        if (!meant.equals(ID)) {
            target.end();
            return tail;
        }
        tails.add(tail);
        return tail;
    }

    @SuppressWarnings("unchecked") // the test answers with what was asked for
    private <T> CompletableFuture<T> ask(Object... what) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        asked.add(new Asked(List.of(what), answer));
        return (CompletableFuture<T>) (CompletableFuture<?>) answer;
    }

    @Override
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes) {
        return ask("txn", txn, wireBytes);
    }

    @Override
    public CompletableFuture<Long> compact(long revision, boolean physical) {
        return ask("compact", revision, physical);
    }

    @Override
    public CompletableFuture<GrantedLease> grantLease(long id, long ttl) {
        return ask("grantLease", id, ttl);
    }

    @Override
    public CompletableFuture<Long> revokeLease(long id) {
        return ask("revokeLease", id);
    }

    @Override
    public CompletableFuture<GrantedLease> keepLeaseAlive(long id) {
        return ask("keepLeaseAlive", id);
    }

    @Override
    public CompletableFuture<LeaseTimes> leaseTimes(long id, boolean withKeys) {
        return ask("leaseTimes", id, withKeys);
    }

    @Override
    public CompletableFuture<List<Long>> leases() {
        return ask("leases");
    }

    @Override
    public CompletableFuture<Boolean> raise(Alarm alarm) {
        return ask("raise", alarm);
    }

    @Override
    public CompletableFuture<Boolean> disarm(Alarm alarm) {
        return ask("disarm", alarm);
    }

    @Override
    public CompletableFuture<RaisedAlarms> alarms() {
        return ask("alarms");
    }

    @Override
    public CompletableFuture<ReadPoint> readPoint() {
        return ask("readPoint");
    }
}
