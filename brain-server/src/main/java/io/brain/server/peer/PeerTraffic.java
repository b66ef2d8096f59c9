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
import io.grpc.ServerStreamTracer;
import java.util.function.LongSupplier;

/** Counts the bytes of calls between nodes. */
final class PeerTraffic {
    private static final int HEX = 16;

    private PeerTraffic() {}

    /** The member id that a caller states; 0: unknown. */
    static long member(Metadata headers) {
        String stated = headers.get(PeerMethods.MEMBER);
        try {
            return stated == null ? 0 : Long.parseUnsignedLong(stated, HEX);
        } catch (NumberFormatException malformed) {
            return 0;
        }
    }

    /** Counts the calls to another node, and adds this node's member id to them. Thread-safe. */
    static final class Client extends ClientStreamTracer.Factory implements ClientInterceptor {
        private final LongSupplier self;
        private final ClientStreamTracer tracer;

        /** This node's member id in hexadecimal; null until it is known. */
        private volatile String member;

        /**
         * Creates the counter.
         *
         * @param self this node's member id; 0 while unknown
         */
        Client(PeerMetrics.Peer peer, LongSupplier self) {
            this.self = self;
            this.tracer =
                    new ClientStreamTracer() {
                        @Override
                        public void outboundWireSize(long bytes) {
                            peer.sent(bytes);
                        }

                        @Override
                        public void inboundWireSize(long bytes) {
                            peer.received(bytes);
                        }
                    };
        }

        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(
                MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(
                    next.newCall(method, options.withStreamTracerFactory(this))) {
                @Override
                public void start(Listener<R> listener, Metadata headers) {
                    String known = member();
                    if (known != null) {
                        headers.put(PeerMethods.MEMBER, known);
                    }
                    super.start(listener, headers);
                }
            };
        }

        private String member() {
            long id = member == null ? self.getAsLong() : 0;
            if (id != 0) {
                member = Long.toHexString(id);
            }
            return member;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(
                ClientStreamTracer.StreamInfo info, Metadata headers) {
            return tracer;
        }
    }

    /** Counts the calls of other nodes, except those without a member id. */
    static final class Server extends ServerStreamTracer.Factory {
        private static final ServerStreamTracer UNCOUNTED = new ServerStreamTracer() {};

        private final PeerMetrics metrics;

        Server(PeerMetrics metrics) {
            this.metrics = metrics;
        }

        @Override
        public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
            long member = member(headers);
            if (member == 0) {
                return UNCOUNTED;
            }
            PeerMetrics.Peer peer = metrics.of(member);
            return new ServerStreamTracer() {
                @Override
                public void outboundWireSize(long bytes) {
                    peer.sent(bytes);
                }

                @Override
                public void inboundWireSize(long bytes) {
                    peer.received(bytes);
                }
            };
        }
    }
}
