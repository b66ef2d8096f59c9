package io.brain.server.peer;

import io.brain.server.metrics.PeerMetrics;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;

/** Counts the bytes of other nodes' calls. A caller that does not say who it is, is not counted. */
final class CountedService extends ServerStreamTracer.Factory {
    private static final ServerStreamTracer UNCOUNTED = new ServerStreamTracer() {};
    private static final int HEX = 16;

    private final PeerMetrics metrics;

    CountedService(PeerMetrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        long member = member(headers.get(PeerMethods.MEMBER));
        return member == 0 ? UNCOUNTED : new Counter(metrics.of(member));
    }

    private static long member(String told) {
        try {
            return told == null ? 0 : Long.parseUnsignedLong(told, HEX);
        } catch (NumberFormatException strange) {
            return 0;
        }
    }

    /** Of one call. */
    private static final class Counter extends ServerStreamTracer {
        private final PeerMetrics.Peer peer;

        Counter(PeerMetrics.Peer peer) {
            this.peer = peer;
        }

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
