package io.brain.transfer.mirror;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchProgressRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * All revisions of a cluster from one on, in order and none missing, by a watch of all keys. When
 * the connection or the member's leader is lost, it continues at the next revision. At most two
 * responses and one revision wait in memory. Used by one thread.
 */
public final class RevisionTail implements AutoCloseable {
    /** Responses that may wait; the next ones wait in the server. */
    private static final int RESPONSES_MAX = 2;

    private static final long REVISION_BYTES_MAX = 512L << 20;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BACKOFF_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long BACKOFF_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /** etcd then ends the watch when the member has no leader. */
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    /** A repetition would fail as well. */
    private static final Set<Status.Code> FINAL =
            Set.of(
                    Status.Code.INVALID_ARGUMENT,
                    Status.Code.PERMISSION_DENIED,
                    Status.Code.UNAUTHENTICATED,
                    Status.Code.UNIMPLEMENTED,
                    Status.Code.RESOURCE_EXHAUSTED);

    private final String name;
    private final Channel channel;
    private final LongSupplier nanoTime;

    /** Revisions of the responses so far that {@link #next} has not returned. */
    private final Deque<SourceRevision> ready = new ArrayDeque<>();

    /** The first events of a revision that goes on in the next response. */
    private List<Event> begun = new ArrayList<>();

    private long begunBytes;

    /** The revision that {@link #begun}, or else the next event, must have. */
    private long expected;

    private long newest;
    private Connection connection;
    private long backoff = BACKOFF_NANOS_MIN;
    private long reconnectAt;
    private long progressAt;
    private String trouble;

    /**
     * Creates a tail, which connects with {@link #next}; the caller closes the channel.
     *
     * @param name for messages
     * @param from the first revision
     */
    public RevisionTail(String name, Channel channel, long from) {
        this(name, channel, from, System::nanoTime);
    }

    RevisionTail(String name, Channel channel, long from, LongSupplier nanoTime) {
        this.name = name;
        this.channel = channel;
        this.expected = from;
        this.newest = from - 1;
        this.nanoTime = nanoTime;
        this.reconnectAt = nanoTime.getAsLong();
    }

    /**
     * The next revision.
     *
     * @param wait the longest time to wait
     * @return null if there was none in this time
     * @throws CompactedException if the source has compacted it
     * @throws IOException if the source refuses, or a revision is missing
     */
    public SourceRevision next(Duration wait) throws IOException {
        long end = nanoTime.getAsLong() + wait.toNanos();
        while (ready.isEmpty()) {
            long now = nanoTime.getAsLong();
            if (connection == null && now - reconnectAt >= 0) {
                connect(now);
            }
            if (now - end >= 0) {
                return null;
            }
            await(now, end);
        }
        return ready.remove();
    }

    /** The newest revision that the source is known to have. */
    public long newest() {
        return newest;
    }

    /** Why there is no connection now; null if there is one. */
    public String trouble() {
        return trouble;
    }

    @Override
    public void close() {
        disconnect();
    }

    private void connect(long now) {
        begun = new ArrayList<>();
        begunBytes = 0;
        connection = new Connection();
        connection.start(expected);
        progressAt = now + PROGRESS_NANOS;
    }

    private void disconnect() {
        if (connection != null) {
            connection.call.cancel("not needed", null);
            connection = null;
        }
    }

    /** Waits for a response, until something else is due. */
    private void await(long now, long end) throws IOException {
        try {
            if (connection == null) {
                TimeUnit.NANOSECONDS.sleep(Math.min(reconnectAt - now, end - now));
                return;
            }
            long left = Math.min(progressAt - now, end - now);
            Object received = connection.received.poll(left, TimeUnit.NANOSECONDS);
            if (received instanceof Status status) {
                closed(status);
            } else if (received instanceof WatchResponse response) {
                connection.call.request(1);
                accept(response);
            } else if (nanoTime.getAsLong() - progressAt >= 0) {
                connection.requestProgress();
                progressAt += PROGRESS_NANOS;
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private void closed(Status status) throws IOException {
        String text =
                status.getDescription() == null
                        ? status.getCode().toString()
                        : status.getDescription();
        if (FINAL.contains(status.getCode()) && !Retries.mayPass(text)) {
            throw new IOException(name + ": " + text, status.asRuntimeException());
        }
        retry(text);
    }

    private void retry(String why) {
        disconnect();
        trouble = why;
        reconnectAt = nanoTime.getAsLong() + backoff;
        backoff = Math.min(BACKOFF_NANOS_MAX, 2 * backoff);
    }

    private void accept(WatchResponse response) throws IOException {
        if (response.getCanceled()) {
            canceled(response);
            return;
        }
        trouble = null;
        newest = Math.max(newest, response.getHeader().getRevision());
        for (Event event : response.getEventsList()) {
            add(event);
        }
        if (!response.getFragment()) {
            finishRevision();
        }
    }

    private void canceled(WatchResponse response) throws IOException {
        if (response.getCompactRevision() > 0) {
            throw new CompactedException(name, expected, response.getCompactRevision());
        }
        String reason = response.getCancelReason();
        if (Retries.mayPass(reason)) {
            retry(reason);
            return;
        }
        throw new IOException(name + ": the watch was canceled: " + reason);
    }

    private void add(Event event) throws IOException {
        long revision = event.getKv().getModRevision();
        if (!begun.isEmpty() && revision != expected) {
            finishRevision();
        }
        if (revision != expected) {
            throw new IOException(
                    "%s: revision %d follows %d: it does not have all revisions"
                            .formatted(name, revision, expected - 1));
        }
        begun.add(event);
        begunBytes += event.getSerializedSize();
        if (begunBytes > REVISION_BYTES_MAX) {
            throw new IOException(
                    "%s: revision %d has more than %d bytes"
                            .formatted(name, revision, REVISION_BYTES_MAX));
        }
    }

    private void finishRevision() {
        if (!begun.isEmpty()) {
            ready.add(new SourceRevision(expected, begun));
            begun = new ArrayList<>();
            begunBytes = 0;
            backoff = BACKOFF_NANOS_MIN;
            newest = Math.max(newest, expected);
            expected++;
        }
    }

    /** One watch stream. */
    private final class Connection extends ClientCall.Listener<WatchResponse> {
        /** Responses, and the status at the end. */
        private final BlockingQueue<Object> received = new ArrayBlockingQueue<>(RESPONSES_MAX + 1);

        private final ClientCall<WatchRequest, WatchResponse> call =
                channel.newCall(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT);

        void start(long from) {
            Metadata headers = new Metadata();
            headers.put(HAS_LEADER, "true");
            call.start(this, headers);
            call.request(RESPONSES_MAX);
            ByteString zero = ByteString.copyFrom(new byte[1]);
            WatchCreateRequest create =
                    WatchCreateRequest.newBuilder()
                            .setKey(zero)
                            .setRangeEnd(zero)
                            .setStartRevision(from)
                            .setFragment(true)
                            .build();
            call.sendMessage(WatchRequest.newBuilder().setCreateRequest(create).build());
        }

        void requestProgress() {
            WatchProgressRequest progress = WatchProgressRequest.getDefaultInstance();
            if (call.isReady()) {
                call.sendMessage(WatchRequest.newBuilder().setProgressRequest(progress).build());
            }
        }

        @Override
        public void onMessage(WatchResponse response) {
            received.add(response);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            received.add(status);
        }
    }
}
