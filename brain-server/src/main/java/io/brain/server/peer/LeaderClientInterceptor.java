package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.ErrorKind;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the leader in each call, and accepts a response only from that leader. The error NOT_LEADER
 * is accepted from any server, as the call had no effect; after any other response the call may
 * have had one. Thread-safe.
 */
final class LeaderClientInterceptor implements ClientInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderClientInterceptor.class);
    private static final String OTHER_SERVER = "response from a server that is not the leader";

    private final LeaderId leader;
    private final AtomicBoolean logged = new AtomicBoolean();

    LeaderClientInterceptor(LeaderId leader) {
        this.leader = leader;
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<R> listener, Metadata headers) {
                headers.put(PeerMethods.LEADER, leader);
                super.start(new Verifier<>(listener, this, next.authority()), headers);
            }
        };
    }

    /** Verifies a response. gRPC calls it on one thread at a time. */
    private final class Verifier<R> extends SimpleForwardingClientCallListener<R> {
        private final ClientCall<?, ?> call;
        private final String authority;
        private boolean hasHeaders;
        private boolean isLeader;

        Verifier(ClientCall.Listener<R> listener, ClientCall<?, ?> call, String authority) {
            super(listener);
            this.call = call;
            this.authority = authority;
        }

        @Override
        public void onHeaders(Metadata headers) {
            hasHeaders = true;
            isLeader = leader.equals(headers.get(PeerMethods.LEADER));
            if (isLeader) {
                super.onHeaders(headers);
            } else {
                log();
                call.cancel(OTHER_SERVER, null);
            }
        }

        @Override
        public void onMessage(R message) {
            if (isLeader) {
                super.onMessage(message);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ErrorKind kind = trailers.get(PeerMethods.ERROR_KIND);
            if (isLeader
                    || kind == ErrorKind.NOT_LEADER
                    || leader.equals(trailers.get(PeerMethods.LEADER))
                    || (kind == null && !hasHeaders)) {
                super.onClose(status, trailers);
                return;
            }
            log();
            super.onClose(Status.UNKNOWN.withDescription(OTHER_SERVER), new Metadata());
        }

        private void log() {
            if (logged.compareAndSet(false, true)) {
                LOG.warn(
                        "ignoring response from a server that is not the leader address={}"
                                + " leader={}",
                        authority,
                        leader);
            }
        }
    }
}
