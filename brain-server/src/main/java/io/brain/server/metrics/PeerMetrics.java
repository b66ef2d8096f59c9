package io.brain.server.metrics;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Traffic with the other members, under etcd's names. A member talks to the leader, or to its
 * followers; a single server has no such series, as in etcd.
 */
public final class PeerMetrics implements MetricsSource {
    /** Limit of distinct members during the life of a process. */
    private static final int PEERS_MAX = 256;

    /** By member id. */
    private final ConcurrentSkipListMap<Long, Peer> peers = new ConcurrentSkipListMap<>();

    /** The counters of a member; shared counters above the limit. */
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
        text.counter(
                "etcd_network_peer_received_bytes_total", "Bytes of messages received from peers.");
        peers.values().forEach(peer -> text.value(peer.received.sum(), "From", peer.name));
        text.counter("etcd_network_peer_sent_failures_total", "Calls that failed to reach a peer.");
        peers.values().forEach(peer -> text.value(peer.missed.sum(), "To", peer.name));
        text.histogram(
                "etcd_network_peer_round_trip_time_seconds", "Round-trip times to the leader.");
        peers.values().forEach(peer -> peer.roundTrips.writeTo(text, "To", peer.name));
    }

    /** Counters of a peer. Thread-safe. */
    public static final class Peer {
        private final String name;
        private final LongAdder sent = new LongAdder();
        private final LongAdder received = new LongAdder();
        private final LongAdder missed = new LongAdder();
        private final Histogram roundTrips = Histogram.ofSeconds(100_000, 16);

        private Peer(long memberId) {
            name = Long.toHexString(memberId);
        }

        /** Counts sent bytes. */
        public void sent(long bytes) {
            sent.add(bytes);
        }

        /** Counts received bytes. */
        public void received(long bytes) {
            received.add(bytes);
        }

        /** Counts a failure to reach the peer on one of its URLs. */
        public void missed() {
            missed.increment();
        }

        /** Records a round-trip time. */
        public void answered(long nanos) {
            roundTrips.record(nanos);
        }
    }
}
