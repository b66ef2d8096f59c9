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
 * One unary call to the leader: on each way to it in turn, until one is there. It ends when its
 * future is cancelled, or the call of a client that it is made for.
 *
 * @param <Q> the request's message
 * @param <A> the answer's message
 * @param <T> what the backend is told
 */
final class OutgoingCall<Q, A, T> {
    private final PeerRoute route;
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final Function<A, T> reader;
    private final Deadline deadline;
    private final Context context = Context.current();
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private int waysLeft;
    private volatile ClientCall<Q, A> call;

    /**
     * A call; {@link #start} begins it.
     *
     * @param deadline null: none but the client's
     */
    OutgoingCall(
            PeerRoute route,
            MethodDescriptor<Q, A> method,
            Q request,
            Function<A, T> reader,
            Deadline deadline) {
        this.route = route;
        this.method = method;
        this.request = request;
        this.reader = reader;
        this.deadline = deadline;
        this.waysLeft = route.size();
    }

    CompletableFuture<T> start() {
        if (route.isClosed()) {
            return CompletableFuture.failedFuture(new BackendException(ErrorKind.NOT_LEADER));
        }
        var unused =
                future.whenComplete(
                        (answer, failure) -> {
                            if (future.isCancelled()) {
                                cancel();
                            }
                        });
        attempt(route.preferred());
        return future;
    }

    private void cancel() {
        ClientCall<Q, A> begun = call;
        if (begun != null) {
            begun.cancel("nobody waits any more", null);
        }
    }

    private void attempt(int way) {
        if (waysLeft == 0) {
            future.completeExceptionally(new BackendException(ErrorKind.NOT_LEADER));
            return;
        }
        waysLeft--;
        Attempt attempt = new Attempt(way);
        CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(attempt.sent);
        ClientCall<Q, A> next =
                route.channel(way)
                        .newCall(
                                method,
                                deadline == null ? options : options.withDeadline(deadline));
        next.start(attempt, new Metadata());
        next.request(2);
        next.sendMessage(request);
        next.halfClose();
        call = next;
        if (future.isCancelled()) { // perhaps before the call was there to be cancelled
            cancel();
        }
    }

    /** One way. Called by one thread at a time. */
    private final class Attempt extends ClientCall.Listener<A> {
        private final int way;
        private final Sent sent = new Sent();
        private A answer;

        Attempt(int way) {
            this.way = way;
        }

        @Override
        public void onMessage(A message) {
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            String kind = trailers.get(PeerMethods.ERROR_KIND);
            if (future.isDone()) {
                return; // cancelled
            }
            if (kind != null) {
                route.reached(way);
                fail(kindOf(kind));
            } else if (status.isOk() && answer != null) {
                route.reached(way);
                succeed();
            } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
                fail(ErrorKind.TIMEOUT);
            } else if (status.getCode() == Status.Code.CANCELLED && context.isCancelled()) {
                future.cancel(false);
            } else if (sent.sent || route.isClosed()) {
                fail(ErrorKind.LEADER_CHANGED);
            } else {
                route.missed(way, status);
                context.run(() -> attempt(way + 1));
            }
        }

        private void succeed() {
            T told;
            try {
                told = reader.apply(answer);
            } catch (RuntimeException damaged) {
                future.completeExceptionally(
                        new BackendException(ErrorKind.LEADER_CHANGED, damaged));
                return;
            }
            future.complete(told);
        }

        private void fail(ErrorKind kind) {
            future.completeExceptionally(new BackendException(kind));
        }
    }

    /** The kind of a name; INTERNAL for one that this version does not know. */
    private static ErrorKind kindOf(String name) {
        for (ErrorKind kind : ErrorKind.values()) {
            if (kind.name().equals(name)) {
                return kind;
            }
        }
        return ErrorKind.INTERNAL;
    }

    /** Whether anything of an attempt left: headers go first. */
    private static final class Sent extends ClientStreamTracer.Factory {
        private volatile boolean sent;

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
    }
}
