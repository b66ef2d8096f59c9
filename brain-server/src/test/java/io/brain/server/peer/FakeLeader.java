package io.brain.server.peer;

import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderSide;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A leader whose answers the test gives. */
final class FakeLeader implements LeaderSide, Leader {
    static final LeaderId ID = new LeaderId(0xc1, 0x1ead, 1);

    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<Tail> tails = new LinkedBlockingQueue<>();

    /** One call: what it asks, and what answers it. */
    record Asked(LeaderCommand<?> command, CompletableFuture<Object> answer) {}

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
    public Leader leader(LeaderId meant) {
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

    @Override
    @SuppressWarnings("unchecked") // the test answers with what was asked for
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        asked.add(new Asked(command, answer));
        return (CompletableFuture<T>) (CompletableFuture<?>) answer;
    }
}
