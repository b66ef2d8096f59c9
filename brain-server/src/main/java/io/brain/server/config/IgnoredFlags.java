package io.brain.server.config;

import io.brain.options.Option;
import io.brain.options.Option.Kind;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** etcd's flags without effect in Brain. */
final class IgnoredFlags {
    static final Option<Path> CLIENT_CERT_FILE = Option.path("client-cert-file", "");
    static final Option<Path> CLIENT_KEY_FILE = Option.path("client-key-file", "");
    static final Option<Long> SAMPLING_RATE = number("distributed-tracing-sampling-rate");
    static final Option<Boolean> PEER_SKIP_SAN = bool("peer-skip-client-san-verification");
    static final Option<Boolean> REUSE_PORT = bool("socket-reuse-port");
    static final Option<Boolean> REUSE_ADDRESS = bool("socket-reuse-address");

    /** Flags of raft, of etcd's files or of etcd's tuning, in alphabetical order. */
    static final List<Option<?>> WITHOUT_EFFECT =
            Stream.of(
                            Stream.of(SAMPLING_RATE, PEER_SKIP_SAN, REUSE_PORT, REUSE_ADDRESS),
                            Stream.of(CLIENT_CERT_FILE, CLIENT_KEY_FILE),
                            all(
                                    IgnoredFlags::number,
                                    """
                                    backend-batch-limit
                                    bootstrap-defrag-threshold-megabytes compaction-batch-limit
                                    election-timeout heartbeat-interval max-learners max-snapshots
                                    max-wals snapshot-catchup-entries snapshot-count
                                    """),
                            all(
                                    IgnoredFlags::bool,
                                    """
                                    discovery-insecure-skip-tls-verify discovery-insecure-transport
                                    enable-log-rotation
                                    initial-election-tick-advance memory-mlock pre-vote
                                    unsafe-no-fsync
                                    """),
                            all(
                                    IgnoredFlags::former,
                                    """
                                    cluster-active-size cluster-remove-delay cluster-sync-interval
                                    config force max-result-buffer max-retry-attempts
                                    peer-election-timeout peer-heartbeat-interval retry-interval
                                    snapshot v vv
                                    """),
                            all(
                                    name -> Option.duration(name, "", ""),
                                    """
                                    backend-batch-interval compact-hash-check-time
                                    compaction-sleep-interval corrupt-check-time
                                    discovery-dial-timeout discovery-keepalive-time
                                    discovery-keepalive-timeout discovery-request-timeout
                                    downgrade-check-time raft-read-timeout raft-write-timeout
                                    """),
                            all(
                                    IgnoredFlags::text,
                                    """
                                    backend-bbolt-freelist-type discovery-cacert
                                    discovery-cert discovery-fallback discovery-key
                                    discovery-password discovery-srv-name discovery-user
                                    distributed-tracing-address distributed-tracing-instance-id
                                    distributed-tracing-service-name initial-cluster
                                    initial-cluster-state initial-cluster-token
                                    log-rotation-config-json logger metrics v2-deprecation wal-dir
                                    """))
                    .<Option<?>>flatMap(options -> options)
                    .sorted(Comparator.comparing(Option::name))
                    .toList();

    /** Flags that change guarantees to clients, which this version does not support. */
    static final List<Option<?>> NOT_SUPPORTED =
            List.of(
                    text("discovery-token"),
                    text("discovery-endpoints"),
                    text("discovery-srv"),
                    Option.bool("force-new-cluster", "false", ""),
                    Option.text("host-whitelist", "*", ""));

    private IgnoredFlags() {}

    private static Stream<Option<?>> all(Function<String, Option<?>> type, String names) {
        return Stream.of(names.split("\\s+")).map(type);
    }

    private static Option<Long> number(String name) {
        return Option.number(name, "", "");
    }

    private static Option<Boolean> bool(String name) {
        return Option.bool(name, "", "");
    }

    /** A flag of an older etcd, with any value or none. */
    private static Option<String> former(String name) {
        return Option.of(name, Kind.BOOLEAN, "", "", text -> text);
    }

    private static Option<String> text(String name) {
        return Option.text(name, "", "");
    }
}
