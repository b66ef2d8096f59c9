package io.brain.server.etcd;

import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * One unary call. The transport's thread brings the request and the call's end; any thread brings
 * the answer. Response bytes that the answer holds are given back exactly when the call is over.
 */
final class UnaryCall<Q, T, A> extends ServerCall.Listener<Inbound<Q>> {
    private final ServerCall<Inbound<Q>, A> call;
    private final Starter<Q, T> starter;
    private final Function<T, A> renderer;
    private final ToIntFunction<A> length;
    private final StallGuard stalls;
    private boolean asked;

    // All below is guarded by this: the answer and the call's end may come at once.
    private CompletableFuture<T> pending;
    private boolean ended;
    private boolean closed;
    private Reservation held = Reservation.NONE;
    private Scheduler.Timer stall = () -> {};
    private boolean halfClosed;
    private boolean sent;

    UnaryCall(
            ServerCall<Inbound<Q>, A> call,
            Starter<Q, T> starter,
            Function<T, A> renderer,
            ToIntFunction<A> length,
            StallGuard stalls) {
        this.call = call;
        this.starter = starter;
        this.renderer = renderer;
        this.length = length;
        this.stalls = stalls;
    }

    /** As in grpc-go a request is served when it is there, whatever comes behind it. */
    @Override
    public void onMessage(Inbound<Q> message) {
        if (asked) {
            call.request(1);
            return;
        }
        asked = true;
        if (message.refused() != null) {
            fail(message.refused());
        } else {
            begin(message);
        }
    }

    @Override
    public synchronized void onHalfClose() {
        halfClosed = true;
        if (!asked) {
            fail(Errors.NO_REQUEST);
        }
        finish();
    }

    private void begin(Inbound<Q> request) {
        CompletableFuture<T> begun;
        try {
            begun = starter.start(request.message(), request.bytes());
        } catch (RuntimeException refused) {
            fail(StatusMapper.of(refused));
            return;
        }
        synchronized (this) {
            pending = begun;
        }
        CompletionStage<T> ending = begun;
        ending.whenComplete(
                (answer, failure) -> {
                    if (failure != null) {
                        fail(StatusMapper.of(failure));
                    } else {
                        answer(answer);
                    }
                });
    }

    private void answer(T answer) {
        Reservation reservation =
                answer instanceof Reply<?> reply ? reply.held() : Reservation.NONE;
        A message;
        try {
            message = renderer.apply(answer);
        } catch (RuntimeException failure) {
            reservation.close();
            fail(StatusMapper.of(failure));
            return;
        }
        send(message, reservation);
    }

    private synchronized void send(A message, Reservation reservation) {
        if (ended || closed) {
            reservation.close();
            return;
        }
        held = reservation;
        // The transport copies the answer: nobody here may keep another until it is read.
        pending = null;
        int bytes = length.applyAsInt(message);
        stall = stalls.watch(Connection.of(call), bytes, held);
        call.sendHeaders(new Metadata());
        call.sendMessage(message);
        sent = true;
        finish();
    }

    /**
     * Ends the call once the transport has taken the answer and the client has nothing more to say:
     * grpc-java resets a stream that it ends before the client did, and answers are lost with it.
     */
    private void finish() {
        if (sent && halfClosed && call.isReady()) {
            close(Status.OK);
        }
    }

    /** The transport took what was queued. */
    @Override
    public synchronized void onReady() {
        finish();
    }

    private synchronized void fail(Status status) {
        if (!ended && !closed) {
            close(status);
        }
    }

    private void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    @Override
    public void onCancel() {
        CompletableFuture<T> unanswered;
        synchronized (this) {
            unanswered = pending;
        }
        if (unanswered != null) {
            unanswered.cancel(false);
        }
        end();
    }

    @Override
    public void onComplete() {
        end();
    }

    private synchronized void end() {
        ended = true;
        stall.cancel();
        held.close();
    }
}
