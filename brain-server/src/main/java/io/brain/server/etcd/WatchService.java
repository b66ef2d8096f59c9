package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchRequest.RequestUnionCase;
import io.brain.proto.stored.WatchResponse;
import io.brain.server.auth.Callers;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.brain.server.grpc.StatusMapper;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import java.util.List;

/** etcdserverpb.Watch. */
final class WatchService {
    private final Backend backend;
    private final RequestTranslator translator;
    private final WatchResponses responses;

    WatchService(Backend backend, RequestTranslator translator, WatchResponses responses) {
        this.backend = backend;
        this.translator = translator;
        this.responses = responses;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.calls(
                        WatchGrpc.getWatchMethod(),
                        Encoding.of(WatchResponse.getDefaultInstance()),
                        WatchCall::new)
                .build();
    }

    /**
     * A watch stream; the watch hub's thread sends the responses. The next request is taken while
     * responses can be sent and few requests are pending in the hub. A half-close has no effect.
     */
    private final class WatchCall extends IncomingCall<WatchRequest, WatchResponse>
            implements WatchSink {
        private static final int PENDING_MAX = 256;

        private WatchStream stream;
        private int pending; // guarded by this

        WatchCall(ServerCall<Request<WatchRequest>, WatchResponse> call) {
            super(call);
        }

        @Override
        protected void start(boolean clientSendsOne) {
            stream = backend.watch(this);
            super.start(clientSendsOne);
        }

        @Override
        protected void onRequest(Request<WatchRequest> received) {
            WatchRequest request = received.message();
            RequestUnionCase kind = request.getRequestUnionCase();
            if (kind != RequestUnionCase.REQUESTUNION_NOT_SET) {
                synchronized (this) {
                    pending++;
                }
            }
            switch (kind) {
                case CREATE_REQUEST -> create(translator.watch(request.getCreateRequest()));
                case CANCEL_REQUEST -> stream.cancel(request.getCancelRequest().getWatchId());
                case PROGRESS_REQUEST -> stream.requestProgress();
                case REQUESTUNION_NOT_SET -> {} // as in etcd, unknown requests are ignored
            }
            requestMore();
        }

        /** As in etcd, a negative revision is refused first, and a watcher is not checked again. */
        private void create(io.brain.backend.watch.WatchRequest request) {
            ErrorKind refusal = null;
            try {
                if (request.startRevision() >= 0) {
                    backend.auth().requireRead(Callers.current(), request.span());
                }
            } catch (BackendException refused) {
                refusal = refused.kind();
            }
            if (refusal == null) {
                stream.create(request);
            } else {
                stream.refuse(refusal);
            }
        }

        @Override
        public void taken() {
            synchronized (this) {
                pending--;
            }
            requestMore();
        }

        @Override
        protected void onProgress() {
            stream.ready();
            requestMore();
        }

        private synchronized void requestMore() {
            if (pending < PENDING_MAX) {
                requestNext();
            }
        }

        @Override
        protected void onEnd() {
            stream.close();
        }

        @Override
        public long takenBytes() {
            return connection().takenBytes();
        }

        @Override
        public void created(long watchId, long revision) {
            respond(responses.response(watchId, revision).setCreated(true));
        }

        @Override
        public void refused(long revision, Refusal refusal) {
            refused(revision, WatchResponses.reason(refusal));
        }

        @Override
        public void forbidden(long revision, ErrorKind why) {
            refused(revision, WatchResponses.reason(why));
        }

        private void refused(long revision, String reason) {
            respond(
                    responses
                            .response(NO_WATCHER, revision)
                            .setCreated(true)
                            .setCanceled(true)
                            .setCancelReason(reason));
        }

        @Override
        public void events(
                long watchId,
                long revision,
                List<WatchEvent> events,
                boolean prevKv,
                boolean fragment) {
            WatchResponse.Builder head = responses.response(watchId, revision);
            responses.events(head, events, prevKv, fragment, this::respond);
        }

        @Override
        public void progress(long watchId, long revision) {
            respond(responses.response(watchId, revision));
        }

        @Override
        public void canceled(long watchId, long revision) {
            respond(responses.response(watchId, revision).setCanceled(true));
        }

        @Override
        public void compacted(long watchId, long compactRevision) {
            respond(
                    responses
                            .response(watchId, 0)
                            .setCanceled(true)
                            .setCompactRevision(compactRevision));
        }

        @Override
        public void stalled() {
            disconnect();
        }

        @Override
        public void failed(BackendException cause) {
            close(StatusMapper.of(cause));
        }

        private void respond(WatchResponse.Builder response) {
            try {
                send(response.build());
            } catch (Error e) {
                // gRPC cancels the call, which clients do not retry; after a disconnect they do,
                // and memory may have been missing for what is queued.
                disconnect();
                throw e;
            }
        }
    }
}
