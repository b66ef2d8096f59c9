package io.brain.server.metrics;

import java.util.List;
import java.util.stream.Stream;

/**
 * The series that etcd's mixin (dashboard and alert rules of etcd 3.7) uses, with the labels that
 * it selects and groups by. A label without a value matches any value; alternatives are separate
 * series.
 */
public record DashboardSeries(String name, List<String> labels) {
    private static final List<String> FAILURES =
            List.of(
                    "Unknown",
                    "FailedPrecondition",
                    "ResourceExhausted",
                    "Internal",
                    "Unavailable",
                    "DataLoss",
                    "DeadlineExceeded");

    private static final String METHOD = "grpc_method=\"Range\"";
    private static final String UNARY = "grpc_type=\"unary\"";
    private static final String WATCH = "grpc_service=\"etcdserverpb.Watch\"";
    private static final String LEASE = "grpc_service=\"etcdserverpb.Lease\"";
    private static final String STREAM = "grpc_type=\"bidi_stream\"";

    /** Series of every server. */
    public static List<DashboardSeries> ofAServer() {
        return Stream.concat(plain(), ofCalls()).toList();
    }

    /** Additional series of a follower; a leader has no round trips. */
    public static List<DashboardSeries> ofAFollower() {
        return List.of(
                of("etcd_network_peer_sent_bytes_total", "To="),
                of("etcd_network_peer_received_bytes_total", "From="),
                of("etcd_network_peer_sent_failures_total", "To="),
                of("etcd_network_peer_round_trip_time_seconds_bucket", "To=", "le="));
    }

    /** The series missing on a page. */
    public static List<DashboardSeries> missing(Page page, List<DashboardSeries> wanted) {
        return wanted.stream().filter(series -> !page.has(series.name, series.labels)).toList();
    }

    private static Stream<DashboardSeries> plain() {
        return Stream.of(
                of("etcd_server_has_leader"),
                of("etcd_server_leader_changes_seen_total"),
                of("etcd_server_proposals_failed_total"),
                of("etcd_server_proposals_pending"),
                of("etcd_server_proposals_committed_total"),
                of("etcd_server_proposals_applied_total"),
                of("etcd_server_quota_backend_bytes"),
                of("etcd_mvcc_db_total_size_in_bytes"),
                of("etcd_mvcc_db_total_size_in_use_in_bytes"),
                of("etcd_disk_wal_fsync_duration_seconds_bucket", "le="),
                of("etcd_disk_backend_commit_duration_seconds_bucket", "le="),
                of("etcd_network_client_grpc_received_bytes_total"),
                of("etcd_network_client_grpc_sent_bytes_total"),
                of("process_resident_memory_bytes"));
    }

    private static Stream<DashboardSeries> ofCalls() {
        String handled = "grpc_server_handled_total";
        Stream<DashboardSeries> failed =
                FAILURES.stream()
                        .map(code -> of(handled, UNARY, "grpc_code=\"" + code + "\"", METHOD));
        Stream<DashboardSeries> others =
                Stream.of(
                        of("grpc_server_started_total", UNARY),
                        of("grpc_server_started_total", WATCH, STREAM),
                        of("grpc_server_started_total", LEASE, STREAM),
                        of(handled, WATCH, STREAM),
                        of(handled, LEASE, STREAM),
                        of("grpc_server_handling_seconds_bucket", UNARY, METHOD, "le="));
        return Stream.concat(failed, others);
    }

    private static DashboardSeries of(String name, String... labels) {
        return new DashboardSeries(name, List.of(labels));
    }
}
