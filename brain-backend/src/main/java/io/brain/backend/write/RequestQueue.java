package io.brain.backend.write;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests before the sequencer. Limits the number and bytes of all requests between submission and
 * answer.
 */
final class RequestQueue {
    private final Queue<Request<?>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong pendingBytes = new AtomicLong();
    private final int requestsMax;
    private final long bytesMax;

    RequestQueue(int requestsMax, long bytesMax) {
        this.requestsMax = requestsMax;
        this.bytesMax = bytesMax;
    }

    /** Adds a request; false if a limit is exceeded. A single request is always accepted. */
    boolean offer(Request<?> request) {
        int before = pending.getAndIncrement();
        long bytes = pendingBytes.addAndGet(request.wireBytes());
        if (before >= requestsMax || (before > 0 && bytes > bytesMax)) {
            release(request);
            return false;
        }
        queue.add(request);
        waiting.incrementAndGet();
        return true;
    }

    /** The next request; null if there is none. Sequencer thread only. */
    Request<?> poll() {
        Request<?> request = queue.poll();
        if (request != null) {
            waiting.decrementAndGet();
        }
        return request;
    }

    /** Number of requests in the queue. */
    int waiting() {
        return waiting.get();
    }

    /** Number of requests between submission and answer. */
    int pending() {
        return pending.get();
    }

    /** Their bytes on the wire. */
    long pendingBytes() {
        return pendingBytes.get();
    }

    /** A request is answered. Any thread. */
    void release(Request<?> request) {
        pending.decrementAndGet();
        pendingBytes.addAndGet(-request.wireBytes());
    }
}
