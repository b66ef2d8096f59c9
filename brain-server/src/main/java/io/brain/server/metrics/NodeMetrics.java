package io.brain.server.metrics;

import io.brain.backend.Node;
import io.brain.backend.NodeStats;
import io.brain.backend.cache.EventRing;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.read.ReadStats;
import io.brain.backend.read.ReadStats.Waiting;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.watch.WatchStats;
import io.brain.server.config.Versions;

/** Metrics of a node. */
public final class NodeMetrics implements MetricsSource {
    private final Node node;

    /** Creates metrics of {@code node}. */
    public NodeMetrics(Node node) {
        this.node = node;
    }

    @Override
    public void writeTo(MetricsText text) {
        NodeStatus status = node.status();
        leadership(text, status);
        data(text, status);
        text.gauge("etcd_debugging_auth_revision", "Revision of users, roles and permissions.")
                .value(node.auth().revision());
        NodeStats stats = node.stats();
        writes(text, stats.write());
        reads(text, stats.read());
        watches(text, stats.watch());
        ring(text, stats.watch().ring());
        unsent(text, stats.watch().unsent());
        upkeep(text, status, stats);
        expiry(text);
    }

    private static void leadership(MetricsText text, NodeStatus status) {
        boolean leads = status.leaderId() != 0 && status.leaderId() == status.memberId();
        text.gauge("etcd_server_has_leader", "Whether or not a leader exists. 1 is existence.")
                .value(status.leaderId() == 0 ? 0 : 1);
        text.gauge("etcd_server_is_leader", "Whether or not this member is a leader.")
                .value(leads ? 1 : 0);
        text.gauge("etcd_server_is_learner", "Whether or not this member is a learner.").value(0);
        text.gauge("etcd_server_id", "Member ID in hexadecimal, as a label.")
                .value(1, "server_id", Long.toHexString(status.memberId()));
        text.gauge("etcd_server_version", "Version of the etcd API, as a label.")
                .value(1, "server_version", Versions.API);
        text.gauge("etcd_cluster_version", "Cluster version, as a label.")
                .value(1, "cluster_version", Versions.CLUSTER.replaceFirst("\\.\\d+$", ""));
        text.gauge("brain_build_info", "Version of Brain, as a label.")
                .value(1, "version", Versions.brain());
        text.gauge("brain_epoch", "Current epoch.").value(status.epoch());
        text.gauge("etcd_server_proposals_committed_total", "Batches committed.")
                .value(status.batch());
        text.gauge("etcd_server_proposals_applied_total", "Batches applied.").value(status.batch());
    }

    private static void data(MetricsText text, NodeStatus status) {
        text.gauge("etcd_server_quota_backend_bytes", "Storage quota in bytes; -1 for no limit.")
                .value(status.quotaBytes() == 0 ? -1 : status.quotaBytes());
        text.gauge("etcd_mvcc_db_total_size_in_bytes", "Bytes of live data and history.")
                .value(status.storedBytes());
        text.gauge("etcd_mvcc_db_total_size_in_use_in_bytes", "Bytes of live data and history.")
                .value(status.storedBytes());
        text.gauge("etcd_debugging_mvcc_current_revision", "Current revision of the store.")
                .value(status.revision());
        text.gauge("etcd_debugging_mvcc_compact_revision", "Compact revision.")
                .value(status.compactRevision());
        text.gauge("etcd_debugging_mvcc_keys_total", "Number of keys.").value(status.keys());
        text.gauge("brain_alarms", "Active alarms.").value(status.alarms().size());
    }

    private static void watches(MetricsText text, WatchStats watches) {
        text.gauge("etcd_debugging_mvcc_watch_stream_total", "Watch streams.")
                .value(watches.streams());
        text.gauge("etcd_debugging_mvcc_watcher_total", "Watchers.").value(watches.watchers());
        text.gauge("etcd_debugging_mvcc_slow_watcher_total", "Unsynced watchers.")
                .value(watches.unsynced());
        text.counter("etcd_debugging_mvcc_events_total", "Events sent by this member.")
                .value(watches.eventsSent());
        text.counter("brain_watch_responses_total", "Watch responses sent with events.")
                .value(watches.responsesSent());
        text.counter(
                        "brain_watch_compaction_notifications_total",
                        "Progress notifications sent before compactions.")
                .value(watches.noticesSent());
    }

    private static void ring(MetricsText text, EventRing.Stats ring) {
        text.gauge("brain_watch_ring_bytes", "Bytes in the event ring.").value(ring.bytes());
        text.gauge("brain_watch_ring_max_bytes", "Capacity of the event ring in bytes.")
                .value(ring.bytesMax());
        text.gauge("brain_watch_ring_revisions", "Revisions in the event ring.")
                .value(Math.max(0, ring.last() - ring.first() + 1));
        text.gauge("brain_watch_ring_oldest_revision", "Oldest revision in the event ring.")
                .value(ring.first());
        text.counter("brain_watch_ring_evicted_total", "Revisions evicted from the event ring.")
                .value(ring.evicted());
    }

    private static void unsent(MetricsText text, WatchStats.Unsent unsent) {
        text.gauge("brain_watch_unsent_bytes", "Bytes of watch events not yet read by clients.")
                .value(unsent.bytes());
        text.gauge(
                        "brain_watch_unsent_max_bytes",
                        "Limit of unsent bytes, above which large watch responses wait.")
                .value(unsent.bytesMax());
        text.gauge("brain_watch_waiting", "Watch streams waiting for unsent bytes to shrink.")
                .value(unsent.waiting());
        text.counter(
                        "brain_watch_dropped_total",
                        "Watch clients disconnected because they did not read.")
                .value(unsent.dropped());
    }

    private static void writes(MetricsText text, WriteStats writes) {
        text.gauge("brain_write_pending", "Pending writes.").value(writes.pending());
        text.gauge("brain_write_pending_max", "Limit of pending writes; more are refused.")
                .value(writes.pendingMax());
        text.gauge("brain_write_pending_bytes", "Bytes of pending writes.")
                .value(writes.pendingBytes());
        text.gauge("brain_write_pending_max_bytes", "Limit of bytes of pending writes.")
                .value(writes.pendingBytesMax());
        text.gauge("brain_write_queued", "Pending writes queued for the sequencer.")
                .value(writes.queued());
        text.gauge("brain_batch_oldest_seconds", "Age of the batch in flight, including retries.")
                .value(writes.batchNanos() / 1e9);
    }

    private static void reads(MetricsText text, ReadStats reads) {
        text.gauge("brain_read_pending", "Pending reads.").value(reads.pending());
        text.gauge("brain_read_pending_max", "Limit of pending reads; more are refused.")
                .value(reads.pendingMax());
        text.gauge("brain_read_waiting", "Reads waiting for the response budget.")
                .value(reads.waiting());
        text.gauge(
                        "brain_read_waiting_of_tenant_max",
                        "Waiting reads of the user or connection that has the most.")
                .value(reads.waitingMost().stream().mapToInt(Waiting::reads).findFirst().orElse(0));
        text.counter("brain_read_refused_total", "Reads refused because too many were pending.")
                .value(reads.refused());
        text.gauge("brain_response_bytes", "Bytes of the response budget in use.")
                .value(reads.heldBytes());
        text.gauge("brain_response_max_bytes", "Response budget in bytes.")
                .value(reads.heldBytesMax());
    }

    private static void upkeep(MetricsText text, NodeStatus status, NodeStats stats) {
        long finished = Math.max(0, stats.compact().finished());
        text.gauge(
                        "brain_compact_finished_revision",
                        "Revision up to which compaction has finished.")
                .value(finished);
        text.gauge("brain_compact_pending_revisions", "Revisions pending compaction.")
                .value(Math.max(0, status.compactRevision() - finished));
        text.gauge("brain_compact_running", "1 while compaction is running.")
                .value(stats.compact().running() ? 1 : 0);
        text.gauge("brain_leases", "Number of leases.").value(stats.leases());
    }

    private void expiry(MetricsText text) {
        text.gauge("brain_ttl_rules", "Number of TTL rules.")
                .value(node.summaries().ttlRules().rules().size());
    }
}
