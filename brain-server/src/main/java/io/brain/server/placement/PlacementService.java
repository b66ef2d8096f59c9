package io.brain.server.placement;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.backend.model.Failures;
import io.brain.proto.placement.ListRequest;
import io.brain.proto.placement.ListResponse;
import io.brain.proto.placement.PlaceRequest;
import io.brain.proto.placement.PlaceResponse;
import io.brain.proto.placement.PlacedPrefix;
import io.brain.proto.placement.PlacementGrpc;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.storage.Bytes;
import io.brain.storage.placed.PlacedStorage;
import io.brain.storage.placed.PlacementException;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The service that moves prefixes between the stores of this server. */
public final class PlacementService {
    /** Null: the server has no placed stores. */
    private final PlacedStorage storage;

    private final Executor background;

    /**
     * A service.
     *
     * @param storage null: the server has no placed stores
     * @param background may block
     */
    public PlacementService(PlacedStorage storage, Executor background) {
        this.storage = storage;
        this.background = background;
    }

    /** The definition of the service. */
    public ServerServiceDefinition define(ServiceBuilder service) {
        return service.immediate(PlacementGrpc.getListMethod(), this::list)
                .unary(PlacementGrpc.getPlaceMethod(), this::place)
                .build();
    }

    private CompletableFuture<PlaceResponse> place(PlaceRequest request) {
        PlacedStorage placed = required();
        Bytes prefix = Bytes.wrap(request.getPrefix().toByteArray());
        return CompletableFuture.supplyAsync(
                        () -> {
                            placed.place(prefix, request.getStore());
                            return PlaceResponse.getDefaultInstance();
                        },
                        background)
                .exceptionally(
                        failure -> {
                            Throwable cause = Failures.cause(failure);
                            Status status =
                                    cause instanceof PlacementException
                                            ? Status.FAILED_PRECONDITION
                                            : Status.UNAVAILABLE;
                            throw status.withDescription("brain: " + cause.getMessage())
                                    .withCause(cause)
                                    .asRuntimeException();
                        });
    }

    private ListResponse list(ListRequest request) {
        PlacedStorage placed = required();
        ListResponse.Builder response = ListResponse.newBuilder();
        response.addAllStores(placed.storeStats().keySet());
        placed.placements().forEach(one -> response.addPlacements(encoded(one)));
        return response.build();
    }

    private static PlacedPrefix encoded(PlacedStorage.Status status) {
        ByteString prefix = UnsafeByteOperations.unsafeWrap(status.placement().prefix().array());
        return PlacedPrefix.newBuilder()
                .setPrefix(prefix)
                .setStore(status.placement().store())
                .setOther(status.placement().other())
                .setState(PlacedPrefix.State.valueOf(status.placement().state().name()))
                .setKeys(status.keys())
                .setBytes(status.bytes())
                .setTrouble(status.trouble() == null ? "" : status.trouble())
                .build();
    }

    private PlacedStorage required() {
        if (storage == null) {
            throw Status.FAILED_PRECONDITION
                    .withDescription("brain: the server has no placed stores: see --placed-store")
                    .asRuntimeException();
        }
        return storage;
    }
}
