package io.brain.server.etcd;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchRequest.RequestUnionCase;
import io.brain.proto.stored.WatchResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.List;

/**
 * One watch stream. The transport's thread brings requests and the stream's end, the hub's thread
 * brings responses; the lock keeps what they share. The next request is taken only while responses
 * can leave and the hub has not too many to do. A client's half-close leaves the stream as it is.
 */
final class WatchCall extends ServerCall.Listener<Inbound<WatchRequest>> implements WatchSink {
    private static final int PENDING_MAX = 256;

    private final ServerCall<Inbound<WatchRequest>, WatchResponse> call;
    private final RequestTranslator translator;
    private final WatchResponses responses;
    private WatchStream stream;

    // All below is guarded by this.
    private int pending;
    private boolean requested;
    private boolean headersSent;
    private boolean closed;

    WatchCall(
            ServerCall<Inbound<WatchRequest>, WatchResponse> call,
            RequestTranslator translator,
            WatchResponses responses) {
        this.call = call;
        this.translator = translator;
        this.responses = responses;
    }

    /** Starts taking requests for {@code opened}; on the transport's thread, once. */
    void begin(WatchStream opened) {
        stream = opened;
        synchronized (this) {
            requested = true;
        }
        call.request(1);
    }

    @Override
    public void onMessage(Inbound<WatchRequest> message) {
        synchronized (this) {
            requested = false;
        }
        if (message.refused() != null) {
            stream.close();
            close(message.refused());
            return;
        }
        pass(message.message());
        requestNext();
    }

    /** Every request that the hub is given is pending until the hub has taken it. */
    private void pass(WatchRequest request) {
        RequestUnionCase kind = request.getRequestUnionCase();
        if (kind != RequestUnionCase.REQUESTUNION_NOT_SET) {
            synchronized (this) {
                pending++;
            }
        }
        switch (kind) {
            case CREATE_REQUEST -> stream.create(translator.watch(request.getCreateRequest()));
            case CANCEL_REQUEST -> stream.cancel(request.getCancelRequest().getWatchId());
            case PROGRESS_REQUEST -> stream.requestProgress();
            // As in etcd: what nobody knows is passed over.
            case REQUESTUNION_NOT_SET -> {}
        }
    }

    @Override
    public void taken() {
        synchronized (this) {
            pending--;
        }
        requestNext();
    }

    @Override
    public void onReady() {
        stream.ready();
        requestNext();
    }

    @Override
    public void onCancel() {
        end();
    }

    @Override
    public void onComplete() {
        end();
    }

    @Override
    public boolean isReady() {
        return call.isReady();
    }

    @Override
    public long takenBytes() {
        return Connection.of(call).takenBytes();
    }

    @Override
    public void created(long watchId, long revision) {
        send(responses.created(watchId, revision));
    }

    @Override
    public void refused(long revision, Refusal refusal) {
        send(responses.refused(NO_WATCHER, revision, refusal));
    }

    @Override
    public void events(
            long watchId,
            long revision,
            List<WatchEvent> events,
            boolean prevKv,
            boolean fragment) {
        WatchResponse.Builder head = responses.response(watchId, revision);
        responses.events(head, events, prevKv, fragment, this::send);
    }

    @Override
    public void progress(long watchId, long revision) {
        send(responses.progress(watchId, revision));
    }

    @Override
    public void canceled(long watchId, long revision) {
        send(responses.canceled(watchId, revision));
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        send(responses.compacted(watchId, compactRevision));
    }

    @Override
    public void stalled() {
        synchronized (this) {
            closed = true;
        }
        Connection.of(call).drop();
    }

    @Override
    public void failed(BackendException cause) {
        close(StatusMapper.of(cause));
    }

    private synchronized void send(WatchResponse response) {
        if (closed) {
            return;
        }
        if (!headersSent) {
            headersSent = true;
            call.sendHeaders(new Metadata());
        }
        try {
            call.sendMessage(response);
        } catch (Error e) {
            // gRPC ends the call as cancelled, which clients take for final. They resume when the
            // connection ends, and so do the buffers that were not enough.
            closed = true;
            Connection.of(call).drop();
            throw e;
        }
    }

    private synchronized void requestNext() {
        if (!closed && !requested && pending < PENDING_MAX && call.isReady()) {
            requested = true;
            call.request(1);
        }
    }

    private synchronized void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    private void end() {
        synchronized (this) {
            closed = true;
        }
        stream.close();
    }
}
