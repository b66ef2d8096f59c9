package io.brain.server.etcd;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Serves one unary method: begins the request and sends the answer from whatever thread ends it.
 *
 * @param <Q> the request
 * @param <T> what the backend answers
 * @param <A> the answer's message
 */
final class UnaryHandler<Q, T, A> implements ServerCallHandler<Inbound<Q>, A> {
    private final Starter<Q, T> starter;
    private final Function<T, A> renderer;
    private final ToIntFunction<A> length;
    private final StallGuard stalls;

    UnaryHandler(
            Starter<Q, T> starter,
            Function<T, A> renderer,
            ToIntFunction<A> length,
            StallGuard stalls) {
        this.starter = starter;
        this.renderer = renderer;
        this.length = length;
        this.stalls = stalls;
    }

    @Override
    public ServerCall.Listener<Inbound<Q>> startCall(ServerCall<Inbound<Q>, A> call, Metadata md) {
        // One more than there may be, so that the client's half-close is seen behind it.
        call.request(2);
        return new UnaryCall<>(call, starter, renderer, length, stalls);
    }
}
