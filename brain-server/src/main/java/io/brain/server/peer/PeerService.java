package io.brain.server.peer;

import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderSide;
import io.brain.proto.peer.CommandCall;
import io.brain.proto.peer.PeerGrpc;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.CompletableFuture;

/** What other nodes may ask, as a gRPC service. Handlers run on the transport's threads. */
final class PeerService {
    private final LeaderSide side;

    PeerService(LeaderSide side) {
        this.side = side;
    }

    ServerServiceDefinition define() {
        return ServerServiceDefinition.builder(PeerGrpc.SERVICE_NAME)
                .addMethod(
                        PeerMethods.SUBMIT,
                        ServedCall.handler(side, PeerService::submit, CommandCodec::encodeResult))
                .addMethod(
                        PeerMethods.PING,
                        ServedCall.handler(
                                side,
                                (leader, q) -> CompletableFuture.completedFuture(q),
                                answer -> answer))
                .addMethod(PeerMethods.TAIL, ServedTail.handler(side))
                .build();
    }

    private static CompletableFuture<?> submit(Leader leader, CommandCall call) {
        return leader.submit(CommandCodec.decode(call));
    }
}
