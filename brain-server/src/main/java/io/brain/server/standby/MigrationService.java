package io.brain.server.standby;

import io.brain.backend.model.Failures;
import io.brain.proto.migration.CutoverRequest;
import io.brain.proto.migration.CutoverResponse;
import io.brain.proto.migration.MigrationGrpc;
import io.brain.proto.migration.StatusRequest;
import io.brain.proto.migration.StatusResponse;
import io.brain.server.grpc.ServiceBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;

/** The service that shows and ends a migration. */
public final class MigrationService {
    /** Null: the server follows no cluster. */
    private final Following following;

    /**
     * A service.
     *
     * @param following null: the server follows no cluster
     */
    public MigrationService(Following following) {
        this.following = following;
    }

    /** The definition of the service. */
    public ServerServiceDefinition define(ServiceBuilder service) {
        return service.immediate(MigrationGrpc.getStatusMethod(), this::status)
                .unary(MigrationGrpc.getCutoverMethod(), this::cutover)
                .build();
    }

    private StatusResponse status(StatusRequest request) {
        if (following == null) {
            return StatusResponse.getDefaultInstance();
        }
        Progress progress = following.progress();
        String trouble = progress.trouble();
        return StatusResponse.newBuilder()
                .setSource(following.source())
                .setRevision(progress.revision())
                .setNewest(progress.newest())
                .setTrouble(trouble == null ? "" : trouble)
                .build();
    }

    private CompletableFuture<CutoverResponse> cutover(CutoverRequest request) {
        if (following == null || following.isOpen()) {
            throw Status.FAILED_PRECONDITION
                    .withDescription("brain: the server follows no cluster")
                    .asRuntimeException();
        }
        return following
                .cutover()
                .handle(
                        (report, failure) -> {
                            if (failure != null) {
                                throw Status.ABORTED
                                        .withDescription(
                                                "brain: " + Failures.cause(failure).getMessage())
                                        .withCause(failure)
                                        .asRuntimeException();
                            }
                            return response(report);
                        });
    }

    private static CutoverResponse response(Cutover.Report report) {
        return CutoverResponse.newBuilder()
                .setRevision(report.revision())
                .setHash((int) report.hash())
                .setCompactRevision(report.compactRevision())
                .setGapMs(report.gapMillis())
                .build();
    }
}
