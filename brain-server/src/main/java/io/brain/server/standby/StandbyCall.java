package io.brain.server.standby;

import io.brain.backend.model.Futures;
import io.brain.server.grpc.Connection;
import io.brain.server.grpc.IncomingCall.Request;
import io.brain.server.grpc.StatusMapper;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A call of one request, about which is decided when the request is there: the source has answered
 * it, or it is handled here. Thread-safe.
 */
final class StandbyCall<Q> extends ServerCall.Listener<Request<Q>> {
    private final ServerCall<Request<Q>, Object> call;
    private final Metadata headers;
    private final ServerCallHandler<Request<Q>, Object> here;
    private final Function<Q, CompletableFuture<byte[]>> decision;
    private final Context context = Context.current();

    // Guarded by this.
    private ServerCall.Listener<Request<Q>> handler;
    private Request<Q> request;
    private boolean halfClosed;
    private boolean answered;
    private boolean closed;

    /**
     * A call.
     *
     * @param here the handler of this server
     * @param decision the source's response; null: handle the call here
     */
    StandbyCall(
            ServerCall<Request<Q>, Object> call,
            Metadata headers,
            ServerCallHandler<Request<Q>, Object> here,
            Function<Q, CompletableFuture<byte[]>> decision) {
        this.call = call;
        this.headers = headers;
        this.here = here;
        this.decision = decision;
        call.request(2); // behind the last one gRPC reports the half-close
    }

    @Override
    public void onMessage(Request<Q> message) {
        synchronized (this) {
            if (handler != null) {
                handler.onMessage(message);
                return;
            }
            if (request != null) {
                call.request(1); // only the first one counts
                return;
            }
            request = message;
            if (message.refusal() != null) {
                handleHere();
                return;
            }
        }
        // On the connection's thread, as its other events.
        Futures.onEnd(
                decision.apply(message.message()),
                (response, failure) ->
                        Connection.of(call).execute(() -> decided(response, failure)));
    }

    private synchronized void decided(byte[] response, Throwable failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            close(StatusMapper.of(failure));
        } else if (response == null) {
            handleHere();
        } else {
            call.sendHeaders(new Metadata());
            call.sendMessage(response);
            answered = true;
            closeIfAnswered();
        }
    }

    /** Lets this server handle the call, with everything that has arrived. */
    private void handleHere() {
        Context before = context.attach();
        try {
            handler = here.startCall(call, headers);
            if (request != null) {
                handler.onMessage(request);
            }
            if (halfClosed) {
                handler.onHalfClose();
            }
        } finally {
            context.detach(before);
        }
    }

    @Override
    public synchronized void onHalfClose() {
        halfClosed = true;
        if (handler != null) {
            handler.onHalfClose();
        } else if (request == null) {
            handleHere();
        } else {
            closeIfAnswered();
        }
    }

    @Override
    public synchronized void onReady() {
        if (handler != null) {
            handler.onReady();
        } else {
            closeIfAnswered();
        }
    }

    /** Only behind the half-close: an earlier one would reset the stream. */
    private void closeIfAnswered() {
        if (answered && halfClosed && call.isReady()) {
            close(Status.OK);
        }
    }

    private void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    @Override
    public synchronized void onCancel() {
        closed = true;
        if (handler != null) {
            handler.onCancel();
        }
    }

    @Override
    public synchronized void onComplete() {
        closed = true;
        if (handler != null) {
            handler.onComplete();
        }
    }
}
