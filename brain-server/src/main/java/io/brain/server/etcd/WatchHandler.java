package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.stored.WatchResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;

/** etcdserverpb.Watch. */
final class WatchHandler implements ServerCallHandler<Inbound<WatchRequest>, WatchResponse> {
    private final Backend backend;
    private final RequestTranslator translator;
    private final WatchResponses responses;

    WatchHandler(Backend backend, RequestTranslator translator, WatchResponses responses) {
        this.backend = backend;
        this.translator = translator;
        this.responses = responses;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.streaming(
                        WatchGrpc.getWatchMethod(),
                        AnswerForm.of(WatchResponse.getDefaultInstance()),
                        this)
                .build();
    }

    @Override
    public ServerCall.Listener<Inbound<WatchRequest>> startCall(
            ServerCall<Inbound<WatchRequest>, WatchResponse> call, Metadata md) {
        WatchCall watch = new WatchCall(call, translator, responses);
        watch.begin(backend.watch(watch));
        return watch;
    }
}
