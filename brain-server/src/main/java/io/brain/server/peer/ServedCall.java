package io.brain.server.peer;

import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderSide;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One unary call of another node. The transport's thread brings the request and the call's end, any
 * thread the answer. What the answer holds is given back when the transport is done with it.
 *
 * @param <Q> the request
 * @param <T> what the backend answers
 * @param <A> the answer's message
 */
final class ServedCall<Q, T, A> extends ServerCall.Listener<Q> {
    private static final Logger LOG = LoggerFactory.getLogger(ServedCall.class);

    private final ServerCall<Q, A> call;
    private final LeaderSide side;
    private final LeaderId meant;
    private final BiFunction<Leader, Q, CompletableFuture<? extends T>> starter;
    private final Function<T, A> renderer;
    private final Metadata own = new Metadata();
    private Q request;
    private CompletableFuture<? extends T> pending;

    // Guarded by this: the answer and the call's end may come at once.
    private boolean over;
    private Reservation held = Reservation.NONE;

    private ServedCall(
            ServerCall<Q, A> call,
            LeaderSide side,
            LeaderId meant,
            BiFunction<Leader, Q, CompletableFuture<? extends T>> starter,
            Function<T, A> renderer) {
        this.call = call;
        this.side = side;
        this.meant = meant;
        this.starter = starter;
        this.renderer = renderer;
    }

    static <Q, T, A> ServerCallHandler<Q, A> handler(
            LeaderSide side,
            BiFunction<Leader, Q, CompletableFuture<? extends T>> starter,
            Function<T, A> renderer) {
        return (call, headers) -> {
            call.request(2); // one more than there is, so that the end is seen behind it
            return new ServedCall<>(call, side, headers.get(PeerMethods.LEADER), starter, renderer);
        };
    }

    /** How a call ends that failed. */
    static Metadata trailers(Throwable failure) {
        BackendException known = Failures.of(failure);
        if (known.getCause() != null) {
            LOG.warn("a peer's request failed: {}", known.getMessage(), known.getCause());
        }
        Metadata trailers = new Metadata();
        trailers.put(PeerMethods.ERROR_KIND, known.kind().name());
        return trailers;
    }

    @Override
    public void onMessage(Q message) {
        request = message;
    }

    @Override
    public void onHalfClose() {
        if (request == null) {
            fail(new IllegalArgumentException("a call without a request"));
            return;
        }
        try {
            pending = starter.apply(leader(), request);
        } catch (RuntimeException refused) {
            fail(refused);
            return;
        }
        request = null;
        CompletionStage<? extends T> ending = pending;
        ending.whenComplete(
                (answer, failure) -> {
                    if (failure == null) {
                        answer(answer);
                    } else {
                        fail(failure);
                    }
                });
    }

    /** What executes the call, if this node is the leader that it is meant for. */
    private Leader leader() {
        if (meant == null) {
            throw new BackendException(ErrorKind.NOT_LEADER);
        }
        Leader leader = side.leader(meant);
        own.put(PeerMethods.LEADER, meant);
        return leader;
    }

    private void answer(T answer) {
        Reservation reservation =
                answer instanceof Reply<?> reply ? reply.held() : Reservation.NONE;
        try {
            send(renderer.apply(answer), reservation);
        } catch (RuntimeException failure) {
            reservation.close();
            fail(failure);
        }
    }

    private synchronized void send(A message, Reservation reservation) {
        if (over) {
            reservation.close();
            return;
        }
        over = true;
        held = reservation;
        call.sendHeaders(own);
        call.sendMessage(message);
        call.close(Status.OK, new Metadata());
    }

    private synchronized void fail(Throwable failure) {
        if (!over) {
            over = true;
            Metadata trailers = trailers(failure);
            trailers.merge(own);
            call.close(Status.UNKNOWN, trailers);
        }
    }

    @Override
    public void onCancel() {
        end();
        if (pending != null) {
            pending.cancel(false);
        }
    }

    @Override
    public void onComplete() {
        end();
    }

    private synchronized void end() {
        over = true;
        held.close();
    }
}
