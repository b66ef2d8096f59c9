package io.brain.server.grpc;

import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * A unary call.
 *
 * @param <T> type of the handler's result
 */
final class UnaryCall<Q, T, R> extends IncomingCall<Q, R> {
    /** grpc-go's status. */
    private static final Status NO_REQUEST = Status.UNKNOWN.withDescription("EOF");

    private final Function<Request<Q>, ? extends CompletableFuture<? extends T>> handler;
    private final Function<T, R> encoder;
    private final ToIntFunction<R> length;
    private final StallGuard stalls;

    UnaryCall(
            ServerCall<Request<Q>, R> call,
            Function<Request<Q>, ? extends CompletableFuture<? extends T>> handler,
            Function<T, R> encoder,
            ToIntFunction<R> length,
            StallGuard stalls) {
        super(call);
        this.handler = handler;
        this.encoder = encoder;
        this.length = length;
        this.stalls = stalls;
    }

    @Override
    protected void onRequest(Request<Q> request) {
        await(handler.apply(request), this::respond);
    }

    /** As by grpc-go. */
    @Override
    protected Status secondRequest() {
        return null;
    }

    @Override
    protected Status noRequest() {
        return NO_REQUEST;
    }

    private void respond(T result) {
        Reservation reservation =
                result instanceof Reply<?> reply ? reply.held() : Reservation.NONE;
        R response = encoder.apply(result);
        send(response, length.applyAsInt(response), reservation, stalls);
        complete();
    }
}
