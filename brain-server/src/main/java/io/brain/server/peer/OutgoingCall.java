package io.brain.server.peer;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A unary call to another node: tries its channels in turn until one is connected. Cancelling the
 * future, or the client's call in whose context it is made, cancels it.
 *
 * @param <Q> type of the request
 * @param <R> type of the response
 * @param <T> type of the result
 */
final class OutgoingCall<Q, R, T> {
    private final PeerChannels channels;
    private final MethodDescriptor<Q, R> method;
    private final Q request;
    private final Function<R, T> decoder;
    private final Deadline deadline;
    private final Context context = Context.current();
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private int attemptsLeft;
    private volatile ClientCall<Q, R> call;

    /**
     * Creates a call; {@link #start} starts it.
     *
     * @param deadline null: that of the client's call, if any
     */
    OutgoingCall(
            PeerChannels channels,
            MethodDescriptor<Q, R> method,
            Q request,
            Function<R, T> decoder,
            Deadline deadline) {
        this.channels = channels;
        this.method = method;
        this.request = request;
        this.decoder = decoder;
        this.deadline = deadline;
        this.attemptsLeft = channels.size();
    }

    CompletableFuture<T> start() {
        var unused = future.whenComplete((result, failure) -> cancelIfUnneeded());
        attempt(channels.preferred());
        return future;
    }

    private void cancelIfUnneeded() {
        ClientCall<Q, R> started = call;
        if (future.isCancelled() && started != null) {
            started.cancel("cancelled by the caller", null);
        }
    }

    private void attempt(int index) {
        if (attemptsLeft == 0 || channels.isClosed()) {
            fail(ErrorKind.NOT_LEADER);
            return;
        }
        attemptsLeft--;
        Attempt attempt = new Attempt(index);
        CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(attempt.tracers);
        if (deadline != null) {
            options = options.withDeadline(deadline);
        }
        ClientCall<Q, R> started = channels.start(index, method, request, options, attempt);
        started.request(2); // behind the response gRPC reports the end
        call = started;
        cancelIfUnneeded(); // the future may have been cancelled before
    }

    private void fail(ErrorKind kind) {
        future.completeExceptionally(new BackendException(kind));
    }

    /** The call on one channel. gRPC calls it on one thread at a time. */
    private final class Attempt extends ClientCall.Listener<R> {
        private final int index;
        private R response;

        /** True if the server may have received the call: its headers were sent. */
        private volatile boolean sent;

        private final ClientStreamTracer.Factory tracers =
                new ClientStreamTracer.Factory() {
                    @Override
                    public ClientStreamTracer newClientStreamTracer(
                            ClientStreamTracer.StreamInfo info, Metadata headers) {
                        return new ClientStreamTracer() {
                            @Override
                            public void outboundHeaders() {
                                sent = true;
                            }
                        };
                    }
                };

        Attempt(int index) {
            this.index = index;
        }

        @Override
        public void onMessage(R message) {
            response = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ErrorKind kind = trailers.get(PeerMethods.ERROR_KIND);
            if (future.isDone()) {
                return; // cancelled
            }
            if (kind != null) {
                channels.reached(index);
                fail(kind);
            } else if (status.isOk() && response != null) {
                channels.reached(index);
                succeed();
            } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
                fail(ErrorKind.TIMEOUT);
            } else if (status.getCode() == Status.Code.CANCELLED && context.isCancelled()) {
                future.cancel(false);
            } else if (sent || channels.isClosed()) {
                fail(ErrorKind.LEADER_CHANGED);
            } else {
                channels.failed(index, status);
                context.run(() -> attempt(index + 1));
            }
        }

        private void succeed() {
            T result;
            try {
                result = decoder.apply(response);
            } catch (RuntimeException malformed) {
                future.completeExceptionally(
                        new BackendException(ErrorKind.LEADER_CHANGED, malformed));
                return;
            }
            future.complete(result);
        }
    }
}
