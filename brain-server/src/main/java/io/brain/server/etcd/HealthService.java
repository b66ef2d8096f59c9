package io.brain.server.etcd;

import io.brain.proto.health.HealthCheckRequest;
import io.brain.proto.health.HealthCheckResponse;
import io.brain.proto.health.HealthCheckResponse.ServingStatus;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.health.HealthListResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;

/** grpc.health.v1.Health as etcd has it: the server as a whole serves; there are no other names. */
final class HealthService {
    private static final HealthCheckResponse SERVING =
            HealthCheckResponse.newBuilder().setStatus(ServingStatus.SERVING).build();
    private static final HealthCheckResponse UNKNOWN =
            HealthCheckResponse.newBuilder().setStatus(ServingStatus.SERVICE_UNKNOWN).build();

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.immediate(HealthGrpc.getCheckMethod(), HealthService::check)
                .immediate(
                        HealthGrpc.getListMethod(),
                        request -> HealthListResponse.newBuilder().putStatuses("", SERVING).build())
                .streaming(
                        HealthGrpc.getWatchMethod(),
                        AnswerForm.of(HealthCheckResponse.getDefaultInstance()),
                        HealthService::watch)
                .build();
    }

    private static HealthCheckResponse check(HealthCheckRequest request) {
        if (!request.getService().isEmpty()) {
            throw Errors.notFound("unknown service");
        }
        return SERVING;
    }

    /** The state never changes: it is told once, and the stream stays open. */
    private static ServerCall.Listener<Inbound<HealthCheckRequest>> watch(
            ServerCall<Inbound<HealthCheckRequest>, HealthCheckResponse> call, Metadata md) {
        call.request(1);
        return new ServerCall.Listener<>() {
            @Override
            public void onMessage(Inbound<HealthCheckRequest> message) {
                if (message.refused() != null) {
                    call.close(message.refused(), new Metadata());
                    return;
                }
                call.sendHeaders(new Metadata());
                call.sendMessage(message.message().getService().isEmpty() ? SERVING : UNKNOWN);
            }
        };
    }
}
