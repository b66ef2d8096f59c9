package io.brain.server.peer;

import io.brain.server.metrics.PeerMetrics;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.function.LongSupplier;

/** Counts the bytes of calls to another node, and tells it who calls. Thread-safe. */
final class CountedChannel extends ClientStreamTracer.Factory implements ClientInterceptor {
    private final PeerMetrics.Peer peer;
    private final LongSupplier self;
    private final ClientStreamTracer tracer = new Counter();

    /** What is told, once there is something to tell: it stays what it is then. */
    private volatile String member;

    /**
     * Counts calls to {@code peer}.
     *
     * @param self this node's member id; 0 while it has none
     */
    CountedChannel(PeerMetrics.Peer peer, LongSupplier self) {
        this.peer = peer;
        this.self = self;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(
                next.newCall(method, options.withStreamTracerFactory(this))) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                String known = member();
                if (known != null) {
                    headers.put(PeerMethods.MEMBER, known);
                }
                super.start(listener, headers);
            }
        };
    }

    private String member() {
        String known = member;
        if (known == null) {
            long id = self.getAsLong();
            known = id == 0 ? null : Long.toHexString(id);
            member = known;
        }
        return known;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
            ClientStreamTracer.StreamInfo info, Metadata headers) {
        return tracer;
    }

    /** Of all calls together. */
    private final class Counter extends ClientStreamTracer {
        @Override
        public void outboundWireSize(long bytes) {
            peer.sent(bytes);
        }

        @Override
        public void inboundWireSize(long bytes) {
            peer.received(bytes);
        }
    }
}
