package io.brain.server.config;

import io.brain.options.Option;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** etcd's flags that Brain does not act on. */
final class IgnoredFlags {
    static final Option<Path> CLIENT_CERT_FILE = Option.path("client-cert-file", "");
    static final Option<Path> CLIENT_KEY_FILE = Option.path("client-key-file", "");
    static final Option<Long> SAMPLING_RATE = number("distributed-tracing-sampling-rate");
    static final Option<Boolean> PEER_SKIP_SAN = bool("peer-skip-client-san-verification");
    static final Option<Boolean> REUSE_PORT = bool("socket-reuse-port");
    static final Option<Boolean> REUSE_ADDRESS = bool("socket-reuse-address");

    /** Flags of raft, of etcd's files or of etcd's tuning. */
    static final List<Option<?>> WITHOUT_EFFECT =
            Stream.<Stream<Option<?>>>of(
                            all(
                                    IgnoredFlags::number,
                                    """
                                    snapshot-count heartbeat-interval election-timeout max-snapshots
                                    max-wals backend-batch-limit compaction-batch-limit
                                    bootstrap-defrag-threshold-megabytes max-learners
                                    snapshot-catchup-entries bcrypt-cost auth-token-ttl
                                    """),
                            Stream.of(SAMPLING_RATE),
                            all(IgnoredFlags::bool, "initial-election-tick-advance memory-mlock"),
                            Stream.of(REUSE_PORT, REUSE_ADDRESS),
                            all(
                                    IgnoredFlags::bool,
                                    "enable-grpc-gateway strict-reconfig-check pre-vote"),
                            Stream.of(PEER_SKIP_SAN),
                            all(
                                    IgnoredFlags::bool,
                                    """
                                    enable-pprof enable-log-rotation discovery-insecure-transport
                                    discovery-insecure-skip-tls-verify unsafe-no-fsync
                                    """),
                            all(
                                    name -> Option.duration(name, "", ""),
                                    """
                                    backend-batch-interval discovery-dial-timeout
                                    discovery-request-timeout discovery-keepalive-time
                                    discovery-keepalive-timeout raft-read-timeout raft-write-timeout
                                    corrupt-check-time compact-hash-check-time
                                    compaction-sleep-interval downgrade-check-time
                                    """),
                            all(IgnoredFlags::text, "wal-dir"),
                            Stream.of(CLIENT_CERT_FILE, CLIENT_KEY_FILE),
                            all(
                                    IgnoredFlags::text,
                                    """
                                    discovery-srv-name discovery-fallback discovery-cert discovery-key
                                    discovery-cacert discovery-user discovery-password
                                    backend-bbolt-freelist-type initial-cluster initial-cluster-state
                                    initial-cluster-token v2-deprecation cors auth-token metrics
                                    logger log-rotation-config-json distributed-tracing-address
                                    distributed-tracing-service-name distributed-tracing-instance-id
                                    """))
                    .flatMap(options -> options)
                    .toList();

    /** Flags that change what is promised to clients, in ways that this version does not have. */
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

    private static Option<String> text(String name) {
        return Option.text(name, "", "");
    }
}
