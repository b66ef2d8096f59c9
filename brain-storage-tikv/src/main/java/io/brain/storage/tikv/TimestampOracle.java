package io.brain.storage.tikv;

import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tikv.kvproto.PDGrpc;
import org.tikv.kvproto.Pdpb.RequestHeader;
import org.tikv.kvproto.Pdpb.Timestamp;
import org.tikv.kvproto.Pdpb.TsoRequest;
import org.tikv.kvproto.Pdpb.TsoResponse;
import org.tikv.shade.io.grpc.ManagedChannel;
import org.tikv.shade.io.grpc.stub.StreamObserver;

/**
 * PD's timestamps, asked for on one stream to PD's leader that stays open; answers come in the
 * order of the questions. Thread-safe.
 */
final class TimestampOracle {
    private static final int LOGICAL_BITS = 18;

    /** Opens a channel to the PD that leads now. */
    interface LeaderChannel {
        ManagedChannel find();
    }

    private final LeaderChannel leader;
    private final RequestHeader header;
    private final Duration timeout;
    private Stream stream;

    /**
     * An answer.
     *
     * @param millis PD's time in it
     * @param askedNanos when it was asked for, by the clock of {@link System#nanoTime}
     */
    private record Seen(long millis, long askedNanos) {}

    private volatile Seen seen = new Seen(0, System.nanoTime());

    TimestampOracle(LeaderChannel leader, long clusterId, Duration timeout) {
        this.leader = leader;
        this.header = RequestHeader.newBuilder().setClusterId(clusterId).build();
        this.timeout = timeout;
    }

    /** Milliseconds since 1970 at which PD gave the timestamp. */
    static long millis(long timestamp) {
        return timestamp >>> LOGICAL_BITS;
    }

    /** The timestamp that PD gave that long before another. */
    static long before(long timestamp, Duration time) {
        return Math.max(0, millis(timestamp) - time.toMillis()) << LOGICAL_BITS;
    }

    /**
     * PD's time is not later than this, but for clocks that do not run at the same speed. Does not
     * ask; known once a timestamp was given.
     */
    long millisAtMost() {
        Seen last = seen;
        return last.millis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last.askedNanos) + 1;
    }

    /** A timestamp, within the time of one request. */
    long once() {
        return now(new Backoff(timeout));
    }

    /**
     * A timestamp greater than every other that was given before the call.
     *
     * @throws StorageException kind UNAVAILABLE
     */
    long now(Backoff backoff) {
        return last(1, backoff);
    }

    /**
     * The last of {@code count} timestamps in a row, which nobody else has.
     *
     * @throws StorageException kind UNAVAILABLE
     */
    long last(int count, Backoff backoff) {
        while (true) {
            Stream asked = null;
            Exception failure;
            try {
                asked = stream();
                long millis = Math.min(timeout.toMillis(), backoff.leftMillis());
                long askedNanos = System.nanoTime();
                long answer = asked.ask(count).get(millis, TimeUnit.MILLISECONDS);
                seen = new Seen(millis(answer), askedNanos);
                return answer;
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                failure = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failure = e;
            }
            drop(asked, failure);
            backoff.pause("PD gives no timestamp: " + failure, failure);
        }
    }

    private synchronized Stream stream() {
        if (stream == null) {
            Stream opened = new Stream();
            opened.out = PDGrpc.newStub(leader.find()).tso(opened);
            stream = opened;
        }
        return stream;
    }

    private void drop(Stream failed, Exception cause) {
        synchronized (this) {
            if (stream == failed) {
                stream = null;
            }
        }
        if (failed != null) {
            failed.fail(cause);
        }
    }

    synchronized void close() {
        if (stream != null) {
            stream.out.onCompleted();
            stream = null;
        }
    }

    private final class Stream implements StreamObserver<TsoResponse> {
        private final Deque<CompletableFuture<Long>> waiting = new ArrayDeque<>();
        private StreamObserver<TsoRequest> out;
        private boolean failed;

        /** Asked by few threads at a time, each of which waits: what waits is bounded by them. */
        synchronized CompletableFuture<Long> ask(int count) {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            if (failed) {
                answer.completeExceptionally(new IllegalStateException("the stream has ended"));
                return answer;
            }
            waiting.add(answer);
            out.onNext(TsoRequest.newBuilder().setHeader(header).setCount(count).build());
            return answer;
        }

        @Override
        public void onNext(TsoResponse response) {
            if (response.getHeader().hasError()) {
                onError(new IllegalStateException(response.getHeader().getError().getMessage()));
                return;
            }
            CompletableFuture<Long> next;
            synchronized (this) {
                next = waiting.poll();
            }
            if (next != null) {
                Timestamp timestamp = response.getTimestamp();
                next.complete((timestamp.getPhysical() << LOGICAL_BITS) + timestamp.getLogical());
            }
        }

        @Override
        public void onError(Throwable failure) {
            fail(failure);
        }

        @Override
        public void onCompleted() {
            fail(new IllegalStateException("PD ended the stream"));
        }

        /** Whoever waits here asks again on another stream. */
        private void fail(Throwable cause) {
            List<CompletableFuture<Long>> left;
            synchronized (this) {
                if (failed) {
                    return;
                }
                failed = true;
                left = List.copyOf(waiting);
                waiting.clear();
            }
            try {
                out.onError(cause);
            } catch (RuntimeException ended) {
                // The stream has ended already; there is nothing left to end.
                cause.addSuppressed(ended);
            }
            left.forEach(answer -> answer.completeExceptionally(cause));
        }
    }
}
