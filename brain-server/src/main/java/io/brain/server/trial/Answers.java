package io.brain.server.trial;

import com.google.protobuf.InvalidProtocolBufferException;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks Brain for each range that the source has answered, at the revision of that answer, and
 * compares both. One thread asks; what its queue cannot take is counted. Thread-safe.
 */
final class Answers implements AutoCloseable {
    private static final int QUEUED_MAX = 10_000;
    private static final long QUEUED_BYTES_MAX = 64 << 20;

    /** Named differences; more are only counted. */
    private static final int NAMED_MAX = 20;

    private static final long BEHIND_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_MILLIS = 20;
    private static final long CALL_SECONDS_MAX = 60;

    private final KVGrpc.KVBlockingStub brain;
    private final BlockingQueue<Answer> queue = new ArrayBlockingQueue<>(QUEUED_MAX);
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong open = new AtomicLong();
    private final Thread thread = new Thread(this::run, "brain-try-compare");

    // Guarded by this.
    private final Set<String> named = new LinkedHashSet<>();
    private long equal;
    private long different;
    private long compacted;
    private long dropped;
    private long failed;

    /**
     * What is known.
     *
     * @param compacted not compared: Brain had compacted the revision meanwhile
     * @param dropped not compared: the queue was full
     * @param failed not compared: Brain did not answer, or was too far behind
     * @param named the first differences
     */
    record Result(
            long equal,
            long different,
            long compacted,
            long dropped,
            long failed,
            List<String> named) {}

    private record Answer(RangeRequest request, RangeResponse response, Status status, long bytes) {
        /** The revision whose state was read. */
        long revision() {
            long asked = request.getRevision();
            return asked > 0 ? asked : response.getHeader().getRevision();
        }
    }

    /** Begins; the caller closes the channel. */
    Answers(Channel brain) {
        this.brain = KVGrpc.newBlockingStub(brain);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Takes an answer of the source, unless it depends on more than the revision.
     *
     * @param response null if there was none
     */
    void offer(byte[] request, byte[] response, Status status) {
        boolean invalid = status.getCode() == Code.INVALID_ARGUMENT;
        if (!invalid && (!status.isOk() || response == null)) {
            return;
        }
        try {
            long bytes = (long) request.length + (invalid ? 0 : response.length);
            Answer answer =
                    new Answer(
                            RangeRequest.parseFrom(request),
                            invalid
                                    ? RangeResponse.getDefaultInstance()
                                    : RangeResponse.parseFrom(response),
                            status,
                            bytes);
            open.incrementAndGet();
            if (queuedBytes.addAndGet(bytes) > QUEUED_BYTES_MAX || !queue.offer(answer)) {
                queuedBytes.addAndGet(-bytes);
                open.decrementAndGet();
                count(() -> dropped++);
            }
        } catch (InvalidProtocolBufferException unreadable) {
            count(() -> failed++);
        }
    }

    /** Waits until all answers are compared, or some time has passed. */
    void drain(long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (open.get() > 0 && System.nanoTime() - deadline < 0) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    synchronized Result result() {
        return new Result(equal, different, compacted, dropped, failed, List.copyOf(named));
    }

    private void run() {
        try {
            while (true) {
                Answer answer = queue.take();
                queuedBytes.addAndGet(-answer.bytes());
                compare(answer);
                open.decrementAndGet();
            }
        } catch (InterruptedException closed) {
            // The end of the thread.
        }
    }

    private void compare(Answer theirs) throws InterruptedException {
        long began = System.nanoTime();
        while (true) {
            try {
                RangeResponse ours = ask(theirs);
                record(theirs, Difference.of(theirs.response(), ours));
                return;
            } catch (StatusRuntimeException failure) {
                boolean behind =
                        failure.getStatus().getCode() == Code.OUT_OF_RANGE
                                && failure.getMessage().contains("future revision");
                if (behind && System.nanoTime() - began < BEHIND_NANOS_MAX) {
                    Thread.sleep(PAUSE_MILLIS);
                } else {
                    failed(theirs, failure.getStatus());
                    return;
                }
            }
        }
    }

    private RangeResponse ask(Answer theirs) {
        RangeRequest.Builder request = theirs.request().toBuilder();
        if (theirs.status().isOk()) {
            request.setRevision(theirs.revision()).setSerializable(true);
        }
        return brain.withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS).range(request.build());
    }

    private void failed(Answer theirs, Status ours) {
        Status status = theirs.status();
        if (!status.isOk()) {
            boolean same =
                    status.getCode() == ours.getCode()
                            && String.valueOf(status.getDescription())
                                    .equals(ours.getDescription());
            record(theirs, same ? null : "error %s there, %s here".formatted(status, ours));
        } else if (ours.getCode() == Code.OUT_OF_RANGE) {
            count(() -> compacted++);
        } else if (ours.getCode() == Code.UNIMPLEMENTED
                || ours.getCode() == Code.INVALID_ARGUMENT) {
            record(theirs, "answered there, here " + ours);
        } else {
            count(() -> failed++);
        }
    }

    private synchronized void record(Answer theirs, String difference) {
        if (difference == null) {
            equal++;
            return;
        }
        different++;
        if (named.size() < NAMED_MAX) {
            named.add(
                    "%s at revision %d: %s"
                            .formatted(
                                    Difference.name(theirs.request()),
                                    theirs.revision(),
                                    difference));
        }
    }

    private synchronized void count(Runnable increment) {
        increment.run();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
