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
 * Names in each call the leader that it is meant for, and takes an answer only from that leader. A
 * server that says NOT_LEADER is believed, as it did nothing; every other answer of another server
 * counts as none, and the call as one that may have been executed. Thread-safe.
 */
final class LeaderCheck implements ClientInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderCheck.class);

    private final LeaderId leader;
    private final AtomicBoolean logged = new AtomicBoolean();

    LeaderCheck(LeaderId leader) {
        this.leader = leader;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                headers.put(PeerMethods.LEADER, leader);
                super.start(new Checked<>(listener, this, next.authority()), headers);
            }
        };
    }

    private boolean isFrom(Metadata headers) {
        return leader.equals(headers.get(PeerMethods.LEADER));
    }

    /** Calls on behalf of the transport, one at a time. */
    private final class Checked<A> extends SimpleForwardingClientCallListener<A> {
        private final ClientCall<?, ?> call;
        private final String authority;
        private boolean begun;
        private boolean known;

        Checked(ClientCall.Listener<A> listener, ClientCall<?, ?> call, String authority) {
            super(listener);
            this.call = call;
            this.authority = authority;
        }

        @Override
        public void onHeaders(Metadata headers) {
            begun = true;
            known = isFrom(headers);
            if (known) {
                super.onHeaders(headers);
            } else {
                log();
                call.cancel("answered by another server than the leader", null);
            }
        }

        @Override
        public void onMessage(A message) {
            if (known) {
                super.onMessage(message);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            String kind = trailers.get(PeerMethods.ERROR_KIND);
            boolean refused = ErrorKind.NOT_LEADER.name().equals(kind);
            if (known || refused || kind == null || isFrom(trailers)) {
                super.onClose(begun && !known ? another() : status, trailers);
            } else {
                log();
                super.onClose(another(), new Metadata());
            }
        }

        private Status another() {
            return Status.UNKNOWN.withDescription("answered by another server than the leader");
        }

        private void log() {
            if (logged.compareAndSet(false, true)) {
                LOG.warn(
                        "the server at {} is not the leader {}: it is not used", authority, leader);
            }
        }
    }
}
