package io.brain.server.grpc;

import io.brain.backend.model.Futures;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A call that the server handles; subclasses handle its requests. It sends headers before the first
 * response, closes once, and ignores responses after that.
 *
 * <p>gRPC delivers requests and events on the connection's thread; responses may be sent by any
 * thread. Subclasses may also use {@code this} as lock.
 *
 * @param <Q> type of the requests
 * @param <R> type of the responses
 */
public abstract class IncomingCall<Q, R> extends ServerCall.Listener<IncomingCall.Request<Q>> {
    /** grpc-go's status of a stream of responses with two requests. */
    private static final Status TWO_REQUESTS =
            Status.INTERNAL.withDescription(
                    "cardinality violation: received multiple request messages for"
                            + " non-client-streaming RPC");

    /** The same without its request. */
    private static final Status NO_REQUEST =
            Status.INTERNAL.withDescription(
                    "cardinality violation: received no request message from non-client-streaming"
                            + " RPC");

    private static final Scheduler.Timer NO_TIMER = () -> {};

    private final ServerCall<Request<Q>, R> call;

    // Guarded by this.
    private boolean oneRequest;
    private boolean requested;
    private boolean received;
    private boolean halfClosed;
    private boolean headersSent;
    private boolean complete;
    private boolean closed;
    private CompletableFuture<?> pending;
    private Reservation held = Reservation.NONE;
    private Scheduler.Timer stallTimer = NO_TIMER;

    /**
     * A request as received.
     *
     * @param message null if it is refused
     * @param wireBytes its length
     * @param refusal status that the call ends with; null if the message is valid
     */
    public record Request<Q>(Q message, int wireBytes, Status refusal) {}

    protected IncomingCall(ServerCall<Request<Q>, R> call) {
        this.call = call;
    }

    /** Handles a request; an exception closes the call. Called on the connection's thread. */
    protected abstract void onRequest(Request<Q> request);

    /** The transport takes responses again, or the client has half-closed. */
    protected void onProgress() {}

    /** The status of a call that ends without its only request. */
    protected Status noRequest() {
        return NO_REQUEST;
    }

    /** The status of a call with a second request where one counts; null: it is ignored. */
    protected Status secondRequest() {
        return TWO_REQUESTS;
    }

    /** The call has ended. */
    protected void onEnd() {}

    /**
     * Starts the call.
     *
     * @param clientSendsOne true if only the first request counts
     */
    protected void start(boolean clientSendsOne) {
        synchronized (this) {
            oneRequest = clientSendsOne;
            requested = true;
        }
        call.request(clientSendsOne ? 2 : 1); // behind the last one gRPC reports the half-close
    }

    @Override
    public final void onMessage(Request<Q> request) {
        synchronized (this) {
            requested = false;
            if (oneRequest && received) {
                if (!closed && secondRequest() != null) {
                    close(secondRequest());
                }
                call.request(1);
                return;
            }
            received = true;
            if (closed) {
                return;
            }
        }
        if (request.refusal() != null) {
            close(request.refusal());
            return;
        }
        try {
            onRequest(request);
        } catch (RuntimeException | StackOverflowError failure) {
            close(StatusMapper.of(failure));
        }
    }

    @Override
    public final void onHalfClose() {
        synchronized (this) {
            halfClosed = true;
            if (oneRequest && !received) {
                close(noRequest());
            }
        }
        progress();
    }

    @Override
    public final void onReady() {
        progress();
    }

    private void progress() {
        closeIfComplete();
        onProgress();
    }

    @Override
    public final void onCancel() {
        end();
    }

    @Override
    public final void onComplete() {
        end();
    }

    private void end() {
        CompletableFuture<?> unneeded;
        synchronized (this) {
            closed = true;
            unneeded = pending;
            release();
        }
        if (unneeded != null) {
            unneeded.cancel(false);
        }
        onEnd();
    }

    /** Asks the client for the next request, unless one is expected or responses are queued. */
    protected final synchronized void requestNext() {
        if (!closed && !requested && call.isReady()) {
            requested = true;
            call.request(1);
        }
    }

    /**
     * Passes the result of {@code future} on. A failure of either closes the call; the end of the
     * call cancels the future.
     */
    protected final <T> void await(
            CompletableFuture<? extends T> future, Consumer<? super T> consumer) {
        synchronized (this) {
            pending = future;
        }
        Futures.onEnd(
                future,
                (result, failure) -> {
                    if (failure != null) {
                        close(StatusMapper.of(failure));
                    } else {
                        accept(result, consumer);
                    }
                });
    }

    private <T> void accept(T result, Consumer<? super T> consumer) {
        try {
            consumer.accept(result);
        } catch (RuntimeException failure) {
            Reply.discard(result);
            close(StatusMapper.of(failure));
        }
    }

    /** Sends a response. */
    protected final synchronized void send(R response) {
        if (closed) {
            return;
        }
        if (!headersSent) {
            headersSent = true;
            call.sendHeaders(new Metadata());
        }
        call.sendMessage(response);
    }

    /**
     * Sends a response that occupies memory until {@link #release} or the end of the call.
     *
     * @param bytes length of the response
     * @param stalls limits the time; null: no limit
     */
    protected final synchronized void send(
            R response, int bytes, Reservation reservation, StallGuard stalls) {
        if (closed) {
            reservation.close();
            return;
        }
        held = reservation;
        pending = null; // the transport copies the response: no second one may be kept
        if (stalls != null) {
            stallTimer = stalls.watch(Connection.of(call), bytes, reservation);
        }
        send(response);
    }

    /** Releases the memory of the last response. */
    protected final synchronized void release() {
        stallTimer.cancel();
        stallTimer = NO_TIMER;
        held.close();
        held = Reservation.NONE;
    }

    /**
     * All responses are sent. The call closes when the transport has taken them and the client has
     * half-closed: grpc-java resets a stream that it closes earlier, which loses responses.
     */
    protected final void complete() {
        synchronized (this) {
            complete = true;
        }
        closeIfComplete();
    }

    private synchronized void closeIfComplete() {
        if (complete && halfClosed && call.isReady()) {
            close(Status.OK);
        }
    }

    /** Closes the call, unless it is closed. */
    protected final synchronized void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    /** Disconnects the client, which also discards queued responses. */
    protected final void disconnect() {
        synchronized (this) {
            closed = true;
        }
        connection().drop();
    }

    /** True if the transport takes a response without queueing it. */
    public final boolean isReady() {
        return call.isReady();
    }

    protected final synchronized boolean isClosed() {
        return closed;
    }

    protected final synchronized boolean isHalfClosed() {
        return halfClosed;
    }

    protected final Connection connection() {
        return Connection.of(call);
    }
}
