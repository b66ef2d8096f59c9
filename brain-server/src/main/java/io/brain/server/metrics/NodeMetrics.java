package io.brain.server.metrics;

import io.brain.backend.Backend;
import io.brain.backend.Node;
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
        watches(text, node.watchStats());
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
        text.counter("etcd_server_proposals_committed_total", "Batches committed.")
                .value(status.batch());
        text.counter("etcd_server_proposals_applied_total", "Batches applied.")
                .value(status.batch());
    }

    private static void data(MetricsText text, Backend.Status status) {
        text.gauge("etcd_server_quota_backend_bytes", "Most bytes to store; 0 for no limit.")
                .value(status.quotaBytes());
        text.gauge("etcd_mvcc_db_total_size_in_bytes", "Bytes of live data and history.")
                .value(status.storedBytes());
        text.gauge("etcd_mvcc_db_total_size_in_use_in_bytes", "Bytes of live data and history.")
                .value(status.storedBytes());
        text.gauge("etcd_debugging_mvcc_current_revision", "The current revision of the store.")
                .value(status.revision());
        text.gauge("etcd_debugging_mvcc_compact_revision", "The revision compacted last.")
                .value(status.compactRevision());
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
        text.gauge("brain_watch_ring_bytes", "Bytes of recent events in memory.")
                .value(watches.ringBytes());
    }
}
