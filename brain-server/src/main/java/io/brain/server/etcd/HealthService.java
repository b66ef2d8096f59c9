package io.brain.server.etcd;

import io.brain.proto.health.HealthCheckRequest;
import io.brain.proto.health.HealthCheckResponse;
import io.brain.proto.health.HealthCheckResponse.ServingStatus;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.health.HealthListResponse;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;

/** grpc.health.v1.Health as in etcd: only the server as a whole, which is always serving. */
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
                .calls(
                        HealthGrpc.getWatchMethod(),
                        Encoding.of(HealthCheckResponse.getDefaultInstance()),
                        WatchCall::new)
                .build();
    }

    private static HealthCheckResponse check(HealthCheckRequest request) {
        if (!request.getService().isEmpty()) {
            throw Errors.notFound("unknown service");
        }
        return SERVING;
    }

    /** Sends the state once, as it never changes, and stays open. */
    private static final class WatchCall
            extends IncomingCall<HealthCheckRequest, HealthCheckResponse> {
        WatchCall(ServerCall<Request<HealthCheckRequest>, HealthCheckResponse> call) {
            super(call);
        }

        @Override
        protected void onRequest(Request<HealthCheckRequest> request) {
            send(request.message().getService().isEmpty() ? SERVING : UNKNOWN);
        }
    }
}
