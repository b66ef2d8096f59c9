package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/**
 * Makes the leader that a call names available to handlers, which verify that this node is that
 * leader. Returns its name with the response, and errors as their kind.
 */
final class LeaderServerInterceptor implements ServerInterceptor {
    private static final Context.Key<LeaderId> LEADER = Context.key("leader");

    private static final Context.Key<Long> MEMBER = Context.key("member");

    /** The leader that the current call names. */
    static LeaderId leader() {
        return LEADER.get();
    }

    /** The member id that the caller states; 0: unknown. */
    static long member() {
        return MEMBER.get();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        LeaderId leader = headers.get(PeerMethods.LEADER);
        if (leader == null) {
            call.close(Status.UNKNOWN, trailers(ErrorKind.NOT_LEADER, null));
            return new ServerCall.Listener<>() {};
        }
        ServerCall<Q, R> identified =
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void sendHeaders(Metadata headers) {
                        headers.put(PeerMethods.LEADER, leader);
                        super.sendHeaders(headers);
                    }

                    @Override
                    public void close(Status status, Metadata trailers) {
                        if (status.getCause() == null) {
                            super.close(status, trailers);
                        } else {
                            ErrorKind kind = Failures.of(status.getCause()).kind();
                            super.close(Status.UNKNOWN, trailers(kind, leader));
                        }
                    }
                };
        Context context =
                Context.current().withValues(LEADER, leader, MEMBER, PeerTraffic.member(headers));
        return Contexts.interceptCall(context, identified, headers, next);
    }

    private static Metadata trailers(ErrorKind kind, LeaderId leader) {
        Metadata trailers = new Metadata();
        trailers.put(PeerMethods.ERROR_KIND, kind);
        if (kind != ErrorKind.NOT_LEADER) {
            trailers.put(PeerMethods.LEADER, leader);
        }
        return trailers;
    }
}
