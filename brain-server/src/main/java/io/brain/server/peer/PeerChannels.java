package io.brain.server.peer;

import io.brain.proto.peer.Empty;
import io.brain.server.metrics.PeerMetrics;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of a node, one for each of its URLs. A call starts with the one that was used last.
 * Thread-safe.
 */
final class PeerChannels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerChannels.class);

    /** Minimum interval of connection attempts; the backoff of channels grows above it. */
    private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final List<ManagedChannel> channels;

    /** The same, for calls. */
    private final List<Channel> intercepted;

    private final PeerMetrics.Peer peer;
    private final AtomicReference<String> lastError;
    private final AtomicLong reconnected = new AtomicLong(System.nanoTime() - RECONNECT_NANOS);
    private volatile int preferred;
    private volatile boolean unreachable;
    private volatile boolean closed;

    /**
     * Creates the group.
     *
     * @param interceptors of all calls
     * @param lastError last logged error, which is not repeated: nodes that are down get new
     *     channels again and again
     */
    PeerChannels(
            List<ManagedChannel> channels,
            List<ClientInterceptor> interceptors,
            PeerMetrics.Peer peer,
            AtomicReference<String> lastError) {
        this.peer = peer;
        this.channels = List.copyOf(channels);
        this.intercepted =
                channels.stream()
                        .map(channel -> ClientInterceptors.intercept(channel, interceptors))
                        .toList();
        this.lastError = lastError;
    }

    /** Connects now rather than at the first call. */
    void connect() {
        channels.stream().limit(1).forEach(channel -> channel.getState(true));
    }

    int size() {
        return channels.size();
    }

    /** Index of the channel that a call starts with; the next ones follow, modulo the size. */
    int preferred() {
        return preferred;
    }

    /** Starts a call with one request on a channel; its responses must still be requested. */
    <Q, R> ClientCall<Q, R> start(
            int index,
            MethodDescriptor<Q, R> method,
            Q request,
            CallOptions options,
            ClientCall.Listener<R> listener) {
        ClientCall<Q, R> call = intercepted.get(index % size()).newCall(method, options);
        call.start(listener, new Metadata());
        call.sendMessage(request);
        call.halfClose();
        return call;
    }

    /** Completes when the leader responds. */
    CompletableFuture<Empty> ping(long timeoutMillis) {
        return new OutgoingCall<>(
                        this,
                        PeerMethods.PING,
                        Empty.getDefaultInstance(),
                        response -> response,
                        Deadline.after(timeoutMillis, TimeUnit.MILLISECONDS))
                .start();
    }

    /** The node responded. */
    void reached(int index) {
        int used = index % channels.size();
        if (preferred != used || unreachable) {
            preferred = used;
            unreachable = false;
            lastError.set(null);
        }
    }

    /** The node could not be reached. */
    void failed(int index, Status status) {
        if (closed) {
            return;
        }
        peer.missed();
        long now = System.nanoTime();
        long last = reconnected.get();
        if (now - last >= RECONNECT_NANOS && reconnected.compareAndSet(last, now)) {
            channels.forEach(ManagedChannel::resetConnectBackoff);
        }
        if (!unreachable) {
            unreachable = true;
            Throwable cause = status.getCause();
            String error =
                    "address="
                            + channels.get(index % size()).authority()
                            + " error="
                            + (cause == null ? status.getDescription() : cause.toString());
            if (!error.equals(lastError.getAndSet(error))) {
                LOG.warn("cannot reach leader {}", error);
            }
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Fails all calls. Does not wait for connections to close. */
    @Override
    public void close() {
        closed = true;
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
