package io.brain.server.peer;

import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderEndpoint;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.proto.peer.CommandRequest;
import io.brain.proto.peer.Empty;
import io.brain.proto.peer.EventStreamRequest;
import io.brain.proto.peer.EventStreamUpdate;
import io.brain.proto.peer.PeerGrpc;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;

/** The gRPC service of a leader for the other nodes. */
final class PeerService {
    private final LeaderEndpoint endpoint;

    PeerService(LeaderEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    ServerServiceDefinition define(int messageBytesMax) {
        ServiceBuilder.Limits limits =
                new ServiceBuilder.Limits(messageBytesMax, PeerMethods.NESTING_MAX);
        return new ServiceBuilder(PeerGrpc.SERVICE_NAME, limits, null)
                .unary(PeerMethods.SUBMIT, this::submit, CommandCodec::encodeResult)
                .immediate(PeerMethods.PING, this::ping)
                .calls(
                        PeerMethods.EVENT_STREAM,
                        Encoding.of(EventStreamUpdate.getDefaultInstance()),
                        EventStreamCall::new)
                .build();
    }

    /** This node, if it is the leader that the call names. */
    private Leader leader() {
        return endpoint.leader(LeaderServerInterceptor.leader());
    }

    private CompletableFuture<?> submit(CommandRequest request) {
        return leader().submit(CommandCodec.decode(request));
    }

    private Empty ping(Empty request) {
        leader();
        return request;
    }

    /** A follower's event stream. The backend sends the updates. */
    private final class EventStreamCall extends IncomingCall<EventStreamRequest, EventStreamUpdate>
            implements EventTarget {
        private EventStream source; // null before the request
        private volatile long member;

        EventStreamCall(ServerCall<Request<EventStreamRequest>, EventStreamUpdate> call) {
            super(call);
        }

        @Override
        protected void onRequest(Request<EventStreamRequest> request) {
            LeaderId leader = LeaderServerInterceptor.leader();
            member = LeaderServerInterceptor.member();
            source = endpoint.eventStream(leader, request.message().getFrom(), this);
        }

        @Override
        protected void onProgress() {
            if (source != null) {
                source.ready();
            }
        }

        @Override
        protected void onEnd() {
            if (source != null) {
                source.close();
            }
        }

        @Override
        public long member() {
            return member;
        }

        @Override
        public void send(LeaderUpdate update) {
            send(EventStreamCodec.encode(update));
        }

        @Override
        public void end() {
            close(Status.OK);
        }
    }
}
