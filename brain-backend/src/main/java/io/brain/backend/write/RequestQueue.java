package io.brain.backend.write;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Submitted requests on their way to the sequencer. Bounded by what is between submission and
 * answer, in requests and in bytes: a request that waits for the engine still counts.
 */
final class RequestQueue {
    private final Queue<Request<?>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final int requestsMax;
    private final long bytesMax;

    RequestQueue(int requestsMax, long bytesMax) {
        this.requestsMax = requestsMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Takes a request in; false if there is no room. A lone request always has room. Any thread.
     */
    boolean offer(Request<?> request) {
        int before = requests.getAndIncrement();
        long bytesAfter = bytes.addAndGet(request.wireBytes());
        if (before >= requestsMax || (before > 0 && bytesAfter > bytesMax)) {
            answered(request);
            return false;
        }
        queue.add(request);
        waiting.incrementAndGet();
        return true;
    }

    /** The next request; null if none waits. Sequencer thread only. */
    Request<?> poll() {
        Request<?> request = queue.poll();
        if (request != null) {
            waiting.decrementAndGet();
        }
        return request;
    }

    /** Requests that wait to be polled. */
    int waiting() {
        return waiting.get();
    }

    /** Requests between submission and answer. */
    int pending() {
        return requests.get();
    }

    /** Their bytes as they came over the wire. */
    long pendingBytes() {
        return bytes.get();
    }

    /** A request that was taken in has its answer. Any thread. */
    void answered(Request<?> request) {
        requests.decrementAndGet();
        bytes.addAndGet(-request.wireBytes());
    }
}
