package io.brain.server.peer;

import io.brain.backend.cluster.link.TailSink;
import io.brain.backend.cluster.link.TailUpdate;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what a stream tells. */
final class RecordingSink implements TailSink {
    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    private final AtomicInteger ends = new AtomicInteger();

    /** Ends with 1 when the stream does. */
    final CompletableFuture<Integer> ended = new CompletableFuture<>();

    /** One update, and how to say that it is taken. */
    record Told(TailUpdate update, Runnable taken) {}

    @Override
    public void update(TailUpdate update, Runnable taken) {
        told.add(new Told(update, taken));
    }

    @Override
    public void ended() {
        ended.complete(ends.incrementAndGet());
    }

    Told next() throws InterruptedException {
        Told next = told.poll(10, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no update came");
        }
        return next;
    }

    int waiting() {
        return told.size();
    }

    int ends() {
        return ends.get();
    }
}
