package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.model.GrantedLease;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletionStage;

/**
 * One stream of renewals: each request is answered before the next is taken, so answers keep the
 * order and a stream never has more than one in the works. Ends when the client half-closes.
 */
final class KeepAliveCall extends ServerCall.Listener<Inbound<LeaseKeepAliveRequest>> {
    private final ServerCall<Inbound<LeaseKeepAliveRequest>, LeaseKeepAliveResponse> call;
    private final Backend backend;
    private final Headers headers;

    // All below is guarded by this: renewals end on other threads than the transport's events.
    private boolean headersSent;
    private boolean renewing;
    private boolean requested;
    private boolean halfClosed;
    private boolean closed;

    private KeepAliveCall(
            ServerCall<Inbound<LeaseKeepAliveRequest>, LeaseKeepAliveResponse> call,
            Backend backend,
            Headers headers) {
        this.call = call;
        this.backend = backend;
        this.headers = headers;
    }

    static KeepAliveCall start(
            ServerCall<Inbound<LeaseKeepAliveRequest>, LeaseKeepAliveResponse> call,
            Backend backend,
            Headers headers) {
        KeepAliveCall keepAlive = new KeepAliveCall(call, backend, headers);
        keepAlive.requested = true;
        call.request(1);
        return keepAlive;
    }

    @Override
    public void onMessage(Inbound<LeaseKeepAliveRequest> message) {
        if (message.refused() != null) {
            close(message.refused());
            return;
        }
        synchronized (this) {
            requested = false;
            renewing = true;
        }
        long id = message.message().getID();
        CompletionStage<GrantedLease> renewed = backend.submit(new KeepLeaseAlive(id));
        renewed.whenComplete(
                (granted, failure) -> {
                    if (failure != null) {
                        close(StatusMapper.of(failure));
                    } else {
                        answer(id, granted);
                    }
                });
    }

    private synchronized void answer(long id, GrantedLease granted) {
        renewing = false;
        if (closed) {
            return;
        }
        if (!headersSent) {
            headersSent = true;
            call.sendHeaders(new Metadata());
        }
        call.sendMessage(
                LeaseKeepAliveResponse.newBuilder()
                        .setHeader(headers.at(granted.revision()))
                        .setID(id)
                        .setTTL(granted.ttl())
                        .build());
        goOn();
    }

    private void goOn() {
        if (closed || renewing) {
            return;
        }
        if (halfClosed) {
            close(Status.OK);
        } else if (!requested && call.isReady()) {
            requested = true;
            call.request(1);
        }
    }

    @Override
    public synchronized void onHalfClose() {
        halfClosed = true;
        goOn();
    }

    @Override
    public synchronized void onReady() {
        goOn();
    }

    private synchronized void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    @Override
    public synchronized void onCancel() {
        closed = true;
    }

    @Override
    public synchronized void onComplete() {
        closed = true;
    }
}
