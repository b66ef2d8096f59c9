package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderSide;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.proto.peer.TailCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;

/**
 * One follower's stream of commits, on the leader. The transport's thread brings the request and
 * the stream's end, the backend's the updates.
 */
final class ServedTail extends ServerCall.Listener<TailCall> implements TailTarget {
    private final ServerCall<TailCall, io.brain.proto.peer.TailUpdate> call;
    private final LeaderSide side;
    private final LeaderId meant;
    private TailCall request;
    private TailSource source;

    // Guarded by this.
    private boolean begun;
    private boolean over;

    private ServedTail(
            ServerCall<TailCall, io.brain.proto.peer.TailUpdate> call,
            LeaderSide side,
            LeaderId meant) {
        this.call = call;
        this.meant = meant;
        this.side = side;
    }

    static ServerCallHandler<TailCall, io.brain.proto.peer.TailUpdate> handler(LeaderSide side) {
        return (call, headers) -> {
            call.request(2);
            return new ServedTail(call, side, headers.get(PeerMethods.LEADER));
        };
    }

    @Override
    public void onMessage(TailCall message) {
        request = message;
    }

    @Override
    public void onHalfClose() {
        if (request == null) {
            fail(new IllegalArgumentException("a call without a request"));
            return;
        }
        if (meant == null) {
            fail(new BackendException(ErrorKind.NOT_LEADER));
            return;
        }
        try {
            source = side.tail(meant, request.getFrom(), this);
        } catch (RuntimeException refused) {
            fail(refused);
        }
    }

    @Override
    public void onReady() {
        if (source != null) {
            source.ready();
        }
    }

    @Override
    public void onCancel() {
        gone();
    }

    @Override
    public void onComplete() {
        gone();
    }

    private void gone() {
        synchronized (this) {
            over = true;
        }
        if (source != null) {
            source.close();
        }
    }

    @Override
    public boolean isReady() {
        return call.isReady();
    }

    @Override
    public void send(TailUpdate update) {
        io.brain.proto.peer.TailUpdate message = TailCodec.encode(update);
        synchronized (this) {
            if (over) {
                return;
            }
            if (!begun) {
                begun = true;
                Metadata own = new Metadata();
                own.put(PeerMethods.LEADER, meant);
                call.sendHeaders(own);
            }
            call.sendMessage(message);
        }
    }

    @Override
    public void end() {
        close(Status.OK, new Metadata());
    }

    private void fail(Throwable failure) {
        close(Status.UNKNOWN, ServedCall.trailers(failure));
    }

    private synchronized void close(Status status, Metadata trailers) {
        if (!over) {
            over = true;
            call.close(status, trailers);
        }
    }
}
