package io.brain.backend.write;

import io.brain.backend.fair.FairLimit;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests before the sequencer. Limits the number and bytes of all requests between submission and
 * answer.
 */
final class RequestQueue {
    private final Queue<Request<?>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final FairLimit pending;

    RequestQueue(int requestsMax, long bytesMax) {
        pending = new FairLimit(requestsMax, bytesMax);
    }

    /** Adds a request; false if a limit is exceeded. */
    boolean offer(Request<?> request) {
        if (!pending.enter(request.tenant(), request.wireBytes())) {
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
        return pending.count();
    }

    /** Their bytes on the wire. */
    long pendingBytes() {
        return pending.bytes();
    }

    /** A request is answered. Any thread. */
    void release(Request<?> request) {
        pending.leave(request.tenant(), request.wireBytes());
    }
}
