package io.brain.server.etcd;

import com.google.protobuf.Message;
import io.brain.backend.read.Reply;
import io.brain.backend.read.Reservation;
import io.brain.backend.runtime.Scheduler;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One unary call. The transport's thread brings the request and the call's end; any thread brings
 * the answer. Response bytes that the answer holds are given back exactly when the call is over.
 */
final class UnaryCall<Q, T, A extends Message> extends ServerCall.Listener<Inbound<Q>> {
    private static final Logger LOG = LoggerFactory.getLogger(UnaryCall.class);

    private final ServerCall<Inbound<Q>, A> call;
    private final Starter<Q, T> starter;
    private final Function<T, A> renderer;
    private final StallGuard stalls;
    private Inbound<Q> request;
    private CompletableFuture<T> pending;

    // All below is guarded by this: the answer and the call's end may come at once.
    private boolean ended;
    private boolean closed;
    private Reservation held = Reservation.NONE;
    private Scheduler.Timer stall = () -> {};
    private boolean waiting;

    UnaryCall(
            ServerCall<Inbound<Q>, A> call,
            Starter<Q, T> starter,
            Function<T, A> renderer,
            StallGuard stalls) {
        this.call = call;
        this.starter = starter;
        this.renderer = renderer;
        this.stalls = stalls;
    }

    @Override
    public void onMessage(Inbound<Q> message) {
        if (request != null) {
            fail(Status.INTERNAL.withDescription("a unary call has more than one request"));
            return;
        }
        request = message;
    }

    @Override
    public void onHalfClose() {
        if (request == null) {
            fail(Status.INTERNAL.withDescription("a unary call has no request"));
        } else if (request.refused() != null) {
            fail(request.refused());
        } else {
            begin(request);
        }
    }

    private void begin(Inbound<Q> whole) {
        try {
            pending = starter.start(whole.message(), whole.bytes());
        } catch (RuntimeException refused) {
            fail(StatusMapper.of(refused));
            return;
        }
        CompletionStage<T> begun = pending;
        begun.whenComplete(
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
        call.sendHeaders(new Metadata());
        call.sendMessage(message);
        if (call.isReady()) {
            close(Status.OK);
        } else {
            waiting = true;
            stall = stalls.arm(message.getSerializedSize(), this::reset);
        }
    }

    /** The transport took what was queued. */
    @Override
    public synchronized void onReady() {
        if (waiting) {
            close(Status.OK);
        }
    }

    private synchronized void reset() {
        if (!closed && !ended) {
            LOG.warn("a client does not read its answer: the call is reset");
            closed = true;
            call.sendMessage(null);
        }
    }

    private synchronized void fail(Status status) {
        if (!ended && !closed) {
            close(status);
        }
    }

    private void close(Status status) {
        if (!closed) {
            closed = true;
            waiting = false;
            call.close(status, new Metadata());
        }
    }

    @Override
    public void onCancel() {
        if (pending != null) {
            pending.cancel(false);
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
