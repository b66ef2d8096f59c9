package io.brain.server.peer;

import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.proto.peer.EventStreamRequest;
import io.brain.proto.peer.EventStreamUpdate;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The leader's event stream, on a follower: tries the channels in turn until one is connected, and
 * requests the next update when the last one is processed. One object is one attempt; gRPC calls it
 * on one thread at a time.
 */
final class EventStreamReceiver extends ClientCall.Listener<EventStreamUpdate> {
    private final PeerChannels channels;
    private final EventStreamRequest request;
    private final EventSink sink;
    private final int index;
    private final int attemptsLeft;
    private ClientCall<EventStreamRequest, EventStreamUpdate> call;
    private boolean received;

    private EventStreamReceiver(
            PeerChannels channels,
            EventStreamRequest request,
            EventSink sink,
            int index,
            int attemptsLeft) {
        this.channels = channels;
        this.request = request;
        this.sink = sink;
        this.index = index;
        this.attemptsLeft = attemptsLeft;
    }

    /** Opens the stream at revision {@code from}. */
    static void open(PeerChannels channels, long from, EventSink sink) {
        EventStreamRequest request = EventStreamRequest.newBuilder().setFrom(from).build();
        new EventStreamReceiver(channels, request, sink, channels.preferred(), channels.size())
                .start();
    }

    private void start() {
        if (attemptsLeft == 0 || channels.isClosed()) {
            sink.ended();
        } else {
            Context.ROOT.run(this::attempt); // not that of a client's call, which may be cancelled
        }
    }

    private void attempt() {
        call = channels.start(index, PeerMethods.EVENT_STREAM, request, CallOptions.DEFAULT, this);
        call.request(1);
    }

    @Override
    public void onMessage(EventStreamUpdate update) {
        received = true;
        channels.reached(index);
        AtomicBoolean processed = new AtomicBoolean();
        sink.update(
                EventStreamCodec.decode(update),
                () -> {
                    if (processed.compareAndSet(false, true)) {
                        call.request(1);
                    }
                });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        if (received || status.getCode() != Status.Code.UNAVAILABLE) {
            sink.ended();
            return;
        }
        channels.failed(index, status);
        new EventStreamReceiver(channels, request, sink, index + 1, attemptsLeft - 1).start();
    }
}
