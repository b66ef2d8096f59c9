package io.brain.server.peer;

import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.LeaderUpdate;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Records the updates of an event stream. */
final class RecordingSink implements EventSink {
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final AtomicInteger ends = new AtomicInteger();

    /** Completes with 1 when the stream ends. */
    final CompletableFuture<Integer> ended = new CompletableFuture<>();

    /** An update, and its acknowledgement. */
    record Received(LeaderUpdate update, Runnable processed) {}

    @Override
    public void update(LeaderUpdate update, Runnable processed) {
        received.add(new Received(update, processed));
    }

    @Override
    public void ended() {
        ended.complete(ends.incrementAndGet());
    }

    Received next() throws InterruptedException {
        Received next = received.poll(30, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no update received");
        }
        return next;
    }

    int waiting() {
        return received.size();
    }

    int ends() {
        return ends.get();
    }
}
