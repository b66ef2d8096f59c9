package io.brain.server.metrics;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What went to and came from the other nodes of a cluster, under etcd's names. A node talks to the
 * one that leads and to those that follow it; a lone one has no such series, as in etcd.
 */
public final class PeerMetrics implements MetricsSource {
    /** More members than any cluster has in the life of a process. */
    private static final int PEERS_MAX = 256;

    /** By member id. */
    private final ConcurrentSkipListMap<Long, Peer> peers = new ConcurrentSkipListMap<>();

    /** What is counted of a member; of no member in particular, if there were too many. */
    public Peer of(long memberId) {
        boolean known = peers.containsKey(memberId) || peers.size() < PEERS_MAX;
        return peers.computeIfAbsent(known ? memberId : 0, Peer::new);
    }

    @Override
    public void writeTo(MetricsText text) {
        if (peers.isEmpty()) {
            return;
        }
        text.counter("etcd_network_peer_sent_bytes_total", "Bytes of messages sent to peers.");
        peers.values().forEach(peer -> text.value(peer.sent.sum(), "To", peer.name));
        text.counter("etcd_network_peer_received_bytes_total", "Bytes of messages of peers.");
        peers.values().forEach(peer -> text.value(peer.received.sum(), "From", peer.name));
        text.counter("etcd_network_peer_sent_failures_total", "Calls that did not reach a peer.");
        peers.values().forEach(peer -> text.value(peer.missed.sum(), "To", peer.name));
        text.histogram(
                "etcd_network_peer_round_trip_time_seconds",
                "From a question to the leader, which has nothing to do for it, to the answer.");
        peers.values().forEach(peer -> peer.roundTrips.writeTo(text, "To", peer.name));
    }

    /** Counts of one peer. Thread-safe. */
    public static final class Peer {
        private final String name;
        private final LongAdder sent = new LongAdder();
        private final LongAdder received = new LongAdder();
        private final LongAdder missed = new LongAdder();
        private final Histogram roundTrips = Histogram.ofSeconds(100_000, 16);

        private Peer(long memberId) {
            name = Long.toHexString(memberId);
        }

        /** Bytes left for it. */
        public void sent(long bytes) {
            sent.add(bytes);
        }

        /** Bytes came from it. */
        public void received(long bytes) {
            received.add(bytes);
        }

        /** It could not be reached on one of its URLs. */
        public void missed() {
            missed.increment();
        }

        /** It answered as soon as it could. */
        public void answered(long nanos) {
            roundTrips.record(nanos);
        }
    }
}
