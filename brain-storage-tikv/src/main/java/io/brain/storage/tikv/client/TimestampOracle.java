package io.brain.storage.tikv.client;

import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.Pdpb.RequestHeader;
import io.brain.proto.tikv.Pdpb.Timestamp;
import io.brain.proto.tikv.Pdpb.TsoRequest;
import io.brain.proto.tikv.Pdpb.TsoResponse;
import io.brain.storage.StorageException;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * PD's timestamp oracle (TSO), over one open stream to the PD leader. Responses arrive in the order
 * of the requests. Thread-safe.
 */
public final class TimestampOracle {
    private static final int LOGICAL_BITS = 18;

    /** A wait for a number of milliseconds can end this early. */
    private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Between two readings of both clocks, the system clock may gain so much without a reason. */
    private static final long CLOCK_STEP_MILLIS = 1000;

    /** Opens a channel to the current PD leader. */
    interface LeaderChannel {
        ManagedChannel find();
    }

    private final LeaderChannel leader;
    private final RequestHeader header;
    private final Duration timeout;
    private final LongSupplier systemMillis;

    /** The open stream, or the search for PD's leader that opens one; null for none. */
    private CompletableFuture<Stream> stream;

    /**
     * The last timestamp.
     *
     * @param millis its physical part, in milliseconds since 1970
     * @param askedMillis the system clock at the request
     * @param askedNanos {@link System#nanoTime} of the request, read after the system clock
     */
    private record Seen(long millis, long askedMillis, long askedNanos) {}

    private volatile Seen seen;

    /**
     * An oracle.
     *
     * @param systemMillis the system clock, in milliseconds since 1970
     */
    TimestampOracle(
            LeaderChannel leader, long clusterId, Duration timeout, LongSupplier systemMillis) {
        this.systemMillis = systemMillis;
        this.seen = new Seen(0, systemMillis.getAsLong(), System.nanoTime());
        this.leader = leader;
        this.header = RequestHeader.newBuilder().setClusterId(clusterId).build();
        this.timeout = timeout;
    }

    /** Physical part of a timestamp, in milliseconds since 1970. */
    public static long millis(long timestamp) {
        return timestamp >>> LOGICAL_BITS;
    }

    /** The timestamp {@code time} before {@code timestamp}. */
    public static long before(long timestamp, Duration time) {
        return Math.max(0, millis(timestamp) - time.toMillis()) << LOGICAL_BITS;
    }

    /**
     * Upper bound of PD's current time in milliseconds since 1970, apart from clock drift, unless
     * {@link #mayHaveSlept}. Sends no request; valid after the first timestamp.
     */
    public long millisAtMost() {
        Seen last = seen;
        return last.millis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last.askedNanos) + 1;
    }

    /**
     * True if the machine may have been suspended since the last timestamp: {@link System#nanoTime}
     * stands still then, and the system clock does not.
     */
    public boolean mayHaveSlept() {
        Seen last = seen;
        long awake = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last.askedNanos);
        return systemMillis.getAsLong() - last.askedMillis - awake > CLOCK_STEP_MILLIS;
    }

    /** A timestamp, with the timeout of one request. */
    public long once() {
        return now(new Backoff(timeout));
    }

    /**
     * A timestamp greater than every timestamp issued before the call.
     *
     * @throws StorageException kind UNAVAILABLE
     */
    public long now(Backoff backoff) {
        return last(1, backoff);
    }

    /**
     * The last of {@code count} consecutive timestamps allocated to this caller.
     *
     * @throws StorageException kind UNAVAILABLE
     */
    public long last(int count, Backoff backoff) {
        while (true) {
            backoff.beat();
            Stream asked = null;
            Exception failure;
            try {
                long millis = Math.min(timeout.toMillis(), backoff.leftMillis());
                asked = stream().get(millis, TimeUnit.MILLISECONDS);
                long askedMillis = systemMillis.getAsLong();
                long askedNanos = System.nanoTime();
                millis = Math.min(timeout.toMillis(), backoff.leftMillis());
                long answer = asked.ask(count).get(millis, TimeUnit.MILLISECONDS);
                seen = new Seen(millis(answer), askedMillis, askedNanos);
                return answer;
            } catch (TimeoutException e) {
                failure = e;
                if (asked != null && asked.isSilent()) { // others may still get answers from it
                    drop(asked, failure);
                }
            } catch (ExecutionException | RuntimeException e) {
                failure = e;
                drop(asked, failure);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failure = e;
            }
            backoff.pause("no timestamp from PD: " + failure, failure);
        }
    }

    /** The stream. One caller opens it; the others wait, each as long as it can. */
    private CompletableFuture<Stream> stream() {
        CompletableFuture<Stream> opening;
        synchronized (this) {
            if (stream != null) {
                return stream;
            }
            opening = new CompletableFuture<>();
            stream = opening;
        }
        try {
            Stream opened = new Stream();
            opened.out = PDGrpc.newStub(leader.find()).tso(opened);
            opening.complete(opened);
        } catch (RuntimeException | Error e) { // no thread or memory, perhaps
            forget(opening);
            opening.completeExceptionally(e);
            if (e instanceof Error error) {
                throw error;
            }
        }
        return opening;
    }

    private synchronized void forget(CompletableFuture<Stream> ended) {
        if (stream == ended) {
            stream = null;
        }
    }

    private void drop(Stream failed, Exception cause) {
        if (failed == null) {
            return;
        }
        synchronized (this) {
            if (stream != null && stream.getNow(null) == failed) {
                stream = null;
            }
        }
        failed.fail(cause);
    }

    synchronized void close() {
        if (stream != null) {
            Stream open = stream.getNow(null);
            if (open != null) {
                open.end();
            }
            stream = null;
        }
    }

    private final class Stream implements StreamObserver<TsoResponse> {
        private final Deque<CompletableFuture<Long>> waiting = new ArrayDeque<>();
        private StreamObserver<TsoRequest> out;
        private boolean failed;

        /** {@link System#nanoTime} of the last answer, or of the first request without one. */
        private long progressNanos;

        /** True if requests wait, and none was answered for the timeout of one request. */
        synchronized boolean isSilent() {
            return !waiting.isEmpty()
                    && System.nanoTime() - progressNanos >= timeout.toNanos() - SLACK_NANOS;
        }

        /** The queue is bounded by the number of calling threads, which block. */
        synchronized CompletableFuture<Long> ask(int count) {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            if (failed) {
                answer.completeExceptionally(
                        new IllegalStateException("timestamp stream is closed"));
                return answer;
            }
            if (waiting.isEmpty()) {
                progressNanos = System.nanoTime();
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
                progressNanos = System.nanoTime();
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
            fail(new IllegalStateException("PD closed the timestamp stream"));
        }

        /** Sends nothing more. */
        synchronized void end() {
            if (!failed) {
                out.onCompleted();
            }
        }

        /** Fails the waiting requests; their callers retry on a new stream. */
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
                // The stream is already closed.
                cause.addSuppressed(ended);
            }
            left.forEach(answer -> answer.completeExceptionally(cause));
        }
    }
}
