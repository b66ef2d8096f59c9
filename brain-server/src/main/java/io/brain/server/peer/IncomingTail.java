package io.brain.server.peer;

import io.brain.backend.cluster.link.TailSink;
import io.brain.proto.peer.TailCall;
import io.brain.proto.peer.TailUpdate;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The leader's stream of commits, on a follower: from the first way to the leader that is there.
 * The next update is asked for when the last one is taken.
 */
final class IncomingTail extends ClientCall.Listener<TailUpdate> {
    private final PeerRoute route;
    private final TailCall request;
    private final TailSink sink;
    private final int way;
    private final int waysLeft;
    private ClientCall<TailCall, TailUpdate> call;
    private boolean told;

    private IncomingTail(PeerRoute route, TailCall request, TailSink sink, int way, int waysLeft) {
        this.route = route;
        this.request = request;
        this.sink = sink;
        this.way = way;
        this.waysLeft = waysLeft;
    }

    /** Opens the stream. */
    static void open(PeerRoute route, long from, TailSink sink) {
        TailCall request = TailCall.newBuilder().setFrom(from).build();
        int ways = route.size();
        attempt(new IncomingTail(route, request, sink, route.preferred(), ways));
    }

    private static void attempt(IncomingTail tail) {
        if (tail.waysLeft == 0 || tail.route.isClosed()) {
            tail.sink.ended();
        } else {
            Context.ROOT.run(tail::begin); // it outlives the call of a client that opened it
        }
    }

    private void begin() {
        call = route.channel(way).newCall(PeerMethods.TAIL, CallOptions.DEFAULT);
        call.start(this, new Metadata());
        call.request(1);
        call.sendMessage(request);
        call.halfClose();
    }

    @Override
    public void onMessage(TailUpdate message) {
        told = true;
        route.reached(way);
        AtomicBoolean taken = new AtomicBoolean();
        sink.update(
                TailCodec.decode(message),
                () -> {
                    if (taken.compareAndSet(false, true)) {
                        call.request(1);
                    }
                });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        boolean missed = !told && status.getCode() == Status.Code.UNAVAILABLE;
        if (missed) {
            route.missed(way, status);
            attempt(new IncomingTail(route, request, sink, way + 1, waysLeft - 1));
        } else {
            sink.ended();
        }
    }
}
