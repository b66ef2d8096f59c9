package io.brain.server.metrics;

import io.brain.backend.Backend;
import io.brain.backend.Node;
import io.brain.backend.NodeStats;
import io.brain.backend.read.ReadStats;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.watch.RingStats;
import io.brain.backend.watch.SendStats;
import io.brain.backend.watch.WatchStats;
import io.brain.server.config.Versions;

/** What a node tells of itself, under etcd's names. */
public final class NodeMetrics implements MetricsSource {
    private final Node node;

    /** Metrics of {@code node}. */
    public NodeMetrics(Node node) {
        this.node = node;
    }

    @Override
    public void writeTo(MetricsText text) {
        Backend.Status status = node.status();
        leadership(text, status);
        data(text, status);
        NodeStats stats = node.stats();
        writes(text, stats.write());
        reads(text, stats.read());
        watches(text, stats.watch());
        ring(text, stats.watch().ring());
        unsent(text, stats.watch().unsent());
        upkeep(text, status, stats);
    }

    private static void leadership(MetricsText text, Backend.Status status) {
        boolean leads = status.leaderId() != 0 && status.leaderId() == status.memberId();
        text.gauge("etcd_server_has_leader", "Whether or not a leader exists. 1 is existence.")
                .value(status.leaderId() == 0 ? 0 : 1);
        text.gauge("etcd_server_is_leader", "Whether or not this member is a leader.")
                .value(leads ? 1 : 0);
        text.gauge("etcd_server_is_learner", "Whether or not this member is a learner.").value(0);
        text.gauge("etcd_server_id", "Member ID in hexadecimal, as a label.")
                .value(1, "server_id", Long.toHexString(status.memberId()));
        text.gauge("etcd_server_version", "The API that is served, as a label.")
                .value(1, "server_version", Versions.API);
        text.gauge("etcd_cluster_version", "The cluster's version, as a label.")
                .value(1, "cluster_version", Versions.CLUSTER.replaceFirst("\\.\\d+$", ""));
        text.gauge("brain_build_info", "This program's own version, as a label.")
                .value(1, "version", Versions.brain());
        text.gauge("brain_epoch", "Number of the leadership.").value(status.epoch());
        text.gauge("etcd_server_proposals_committed_total", "Batches committed.")
                .value(status.batch());
        text.gauge("etcd_server_proposals_applied_total", "Batches applied.").value(status.batch());
    }

    private static void data(MetricsText text, Backend.Status status) {
        text.gauge("etcd_server_quota_backend_bytes", "Most bytes to store; -1 for no limit.")
                .value(status.quotaBytes() == 0 ? -1 : status.quotaBytes());
        text.gauge("etcd_mvcc_db_total_size_in_bytes", "Bytes of live data and history.")
                .value(status.storedBytes());
        text.gauge("etcd_mvcc_db_total_size_in_use_in_bytes", "Bytes of live data and history.")
                .value(status.storedBytes());
        text.gauge("etcd_debugging_mvcc_current_revision", "The current revision of the store.")
                .value(status.revision());
        text.gauge("etcd_debugging_mvcc_compact_revision", "The revision compacted last.")
                .value(status.compactRevision());
        text.gauge("etcd_debugging_mvcc_keys_total", "Keys that exist.").value(status.keys());
        text.gauge("brain_alarms", "Alarms that are raised.").value(status.alarms().size());
    }

    private static void watches(MetricsText text, WatchStats watches) {
        text.gauge("etcd_debugging_mvcc_watch_stream_total", "Watch streams.")
                .value(watches.streams());
        text.gauge("etcd_debugging_mvcc_watcher_total", "Watchers.").value(watches.watchers());
        text.gauge("etcd_debugging_mvcc_slow_watcher_total", "Watchers that have not caught up.")
                .value(watches.lagging());
        text.counter("etcd_debugging_mvcc_events_total", "Events sent by this member.")
                .value(watches.eventsSent());
        text.counter("brain_watch_responses_total", "Responses that events were sent in.")
                .value(watches.responsesSent());
    }

    private static void ring(MetricsText text, RingStats ring) {
        text.gauge("brain_watch_ring_bytes", "Bytes of recent events in memory.")
                .value(ring.bytes());
        text.gauge("brain_watch_ring_max_bytes", "Most bytes of recent events in memory.")
                .value(ring.bytesMax());
        text.gauge("brain_watch_ring_revisions", "Revisions whose events are in memory.")
                .value(Math.max(0, ring.last() - ring.first() + 1));
        text.gauge("brain_watch_ring_oldest_revision", "Watchers behind it read the log.")
                .value(ring.first());
        text.counter("brain_watch_ring_evicted_total", "Revisions that had to leave memory.")
                .value(ring.evicted());
    }

    private static void unsent(MetricsText text, SendStats unsent) {
        text.gauge("brain_watch_unsent_bytes", "Bytes of events that clients have not read.")
                .value(unsent.bytes());
        text.gauge("brain_watch_unsent_max_bytes", "Large watch responses wait beyond it.")
                .value(unsent.bytesMax());
        text.gauge("brain_watch_waiting", "Watch streams that wait until others read.")
                .value(unsent.waiting());
        text.counter("brain_watch_dropped_total", "Watch clients dropped: they did not read.")
                .value(unsent.dropped());
    }

    private static void writes(MetricsText text, WriteStats writes) {
        text.gauge("brain_write_pending", "Writes between submission and answer.")
                .value(writes.pending());
        text.gauge("brain_write_pending_max", "Most writes pending; more are refused.")
                .value(writes.pendingMax());
        text.gauge("brain_write_pending_bytes", "Bytes of pending writes.")
                .value(writes.pendingBytes());
        text.gauge("brain_write_pending_max_bytes", "Most bytes of pending writes.")
                .value(writes.pendingBytesMax());
        text.gauge("brain_write_queued", "Pending writes that wait for the sequencer.")
                .value(writes.queued());
    }

    private static void reads(MetricsText text, ReadStats reads) {
        text.gauge("brain_read_pending", "Reads between submission and answer.")
                .value(reads.pending());
        text.gauge("brain_read_pending_max", "Most reads pending; more are refused.")
                .value(reads.pendingMax());
        text.gauge("brain_read_waiting", "Reads that wait for room in the response budget.")
                .value(reads.waiting());
        text.counter("brain_read_refused_total", "Reads refused: too many were pending.")
                .value(reads.refused());
        text.gauge("brain_response_bytes", "Bytes of answers that are held.")
                .value(reads.heldBytes());
        text.gauge("brain_response_max_bytes", "The response budget.").value(reads.heldBytesMax());
    }

    private static void upkeep(MetricsText text, Backend.Status status, NodeStats stats) {
        long finished = Math.max(0, stats.compact().finished());
        text.gauge("brain_compact_finished_revision", "Up to where compaction has removed.")
                .value(finished);
        text.gauge("brain_compact_pending_revisions", "From there to the compacted revision.")
                .value(Math.max(0, status.compactRevision() - finished));
        text.gauge("brain_compact_running", "Whether compaction is at work.")
                .value(stats.compact().running() ? 1 : 0);
        text.gauge("brain_leases", "Leases that exist.").value(stats.leases());
    }
}
