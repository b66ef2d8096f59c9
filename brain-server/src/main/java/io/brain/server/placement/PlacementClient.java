package io.brain.server.placement;

import com.google.protobuf.ByteString;
import io.brain.proto.placement.ListRequest;
import io.brain.proto.placement.ListResponse;
import io.brain.proto.placement.PlaceRequest;
import io.brain.proto.placement.PlacedPrefix;
import io.brain.proto.placement.PlacementGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.placed.PlacedStorage;
import io.brain.storage.placed.Placement;
import io.brain.transfer.verify.EndpointSide;
import io.grpc.Channel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Places prefixes of a running server. Blocks. */
public final class PlacementClient {
    private static final int SECONDS_MAX = 30;

    private final String name;
    private final Channel channel;

    /**
     * A client; the caller closes the channel.
     *
     * @param name of the server, for messages
     */
    public PlacementClient(String name, Channel channel) {
        this.name = name;
        this.channel = channel;
    }

    /**
     * Starts to move a prefix.
     *
     * @throws IOException if it is refused, or the server cannot be reached
     */
    public void place(String prefix, String store) throws IOException {
        PlaceRequest request =
                PlaceRequest.newBuilder()
                        .setPrefix(ByteString.copyFromUtf8(prefix))
                        .setStore(store)
                        .build();
        var unused = EndpointSide.call(name, () -> stub().place(request));
    }

    /**
     * All placements.
     *
     * @param stores names of the placed stores
     */
    public record Listed(List<String> stores, List<PlacedStorage.Status> placements) {}

    /**
     * All placements.
     *
     * @throws IOException also if the server has no placed stores
     */
    public Listed list() throws IOException {
        ListResponse all =
                EndpointSide.call(name, () -> stub().list(ListRequest.getDefaultInstance()));
        return new Listed(
                List.copyOf(all.getStoresList()),
                all.getPlacementsList().stream().map(PlacementClient::decoded).toList());
    }

    private static PlacedStorage.Status decoded(PlacedPrefix one) {
        Placement placement =
                new Placement(
                        Bytes.wrap(one.getPrefix().toByteArray()),
                        one.getStore(),
                        one.getOther(),
                        Placement.State.valueOf(one.getState().name()),
                        0);
        String trouble = one.getTrouble();
        return new PlacedStorage.Status(
                placement, one.getKeys(), one.getBytes(), trouble.isEmpty() ? null : trouble);
    }

    private PlacementGrpc.PlacementBlockingStub stub() {
        return PlacementGrpc.newBlockingStub(channel)
                .withDeadlineAfter(SECONDS_MAX, TimeUnit.SECONDS);
    }
}
