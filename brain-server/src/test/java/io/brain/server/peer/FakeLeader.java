package io.brain.server.peer;

import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderEndpoint;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A leader whose results the test sets. */
final class FakeLeader implements LeaderEndpoint, Leader {
    static final LeaderId ID = new LeaderId(0xc1, 0x1ead, 1);

    private final BlockingQueue<Received> commands = new LinkedBlockingQueue<>();
    private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();

    /** A command, and its result. */
    record Received(LeaderCommand<?> command, CompletableFuture<Object> result) {}

    /** An event stream. */
    static final class Stream implements EventStream {
        final long from;
        final EventTarget target;
        final AtomicInteger ready = new AtomicInteger();
        final CompletableFuture<Void> closed = new CompletableFuture<>();

        Stream(long from, EventTarget target) {
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

    /** The next command. */
    Received next() throws InterruptedException {
        Received next = commands.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no command received");
        }
        return next;
    }

    /** The next stream. */
    Stream nextStream() throws InterruptedException {
        Stream next = streams.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no stream opened");
        }
        return next;
    }

    /** True if no command is waiting. */
    boolean isIdle() {
        return commands.isEmpty();
    }

    @Override
    public Leader leader(LeaderId meant) {
        if (!meant.equals(ID)) {
            throw new BackendException(ErrorKind.NOT_LEADER);
        }
        return this;
    }

    @Override
    public EventStream eventStream(LeaderId meant, long from, EventTarget target) {
        Stream stream = new Stream(from, target);
        if (!meant.equals(ID)) {
            target.end();
            return stream;
        }
        streams.add(stream);
        return stream;
    }

    @Override
    @SuppressWarnings("unchecked") // the test sets a result of this type
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        commands.add(new Received(command, result));
        return (CompletableFuture<T>) (CompletableFuture<?>) result;
    }
}
