package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import io.brain.server.config.Flag.Kind;
import java.util.List;
import java.util.stream.Stream;

/** Those of etcd's flags that Brain does not act on. */
final class OtherFlags {
    /** What belongs to raft, to etcd's own files or to etcd's own tuning. */
    static final List<Flag> WITHOUT_EFFECT =
            Stream.of(
                            none(
                                    Kind.NUMBER,
                                    "snapshot-count",
                                    "heartbeat-interval",
                                    "election-timeout",
                                    "max-snapshots",
                                    "max-wals",
                                    "backend-batch-limit",
                                    "compaction-batch-limit",
                                    "bootstrap-defrag-threshold-megabytes",
                                    "max-learners",
                                    "snapshot-catchup-entries",
                                    "bcrypt-cost",
                                    "auth-token-ttl",
                                    "distributed-tracing-sampling-rate"),
                            none(
                                    Kind.BOOLEAN,
                                    "initial-election-tick-advance",
                                    "memory-mlock",
                                    "socket-reuse-port",
                                    "socket-reuse-address",
                                    "enable-grpc-gateway",
                                    "strict-reconfig-check",
                                    "pre-vote",
                                    "peer-skip-client-san-verification",
                                    "enable-pprof",
                                    "enable-log-rotation",
                                    "discovery-insecure-transport",
                                    "discovery-insecure-skip-tls-verify",
                                    "unsafe-no-fsync"),
                            none(
                                    Kind.DURATION,
                                    "backend-batch-interval",
                                    "discovery-dial-timeout",
                                    "discovery-request-timeout",
                                    "discovery-keepalive-time",
                                    "discovery-keepalive-timeout",
                                    "raft-read-timeout",
                                    "raft-write-timeout",
                                    "corrupt-check-time",
                                    "compact-hash-check-time",
                                    "compaction-sleep-interval",
                                    "downgrade-check-time"),
                            none(
                                    Kind.TEXT,
                                    "wal-dir",
                                    "client-cert-file",
                                    "client-key-file",
                                    "discovery-srv-name",
                                    "discovery-fallback",
                                    "discovery-cert",
                                    "discovery-key",
                                    "discovery-cacert",
                                    "discovery-user",
                                    "discovery-password",
                                    "backend-bbolt-freelist-type",
                                    "initial-cluster",
                                    "initial-cluster-state",
                                    "initial-cluster-token",
                                    "v2-deprecation",
                                    "cors",
                                    "auth-token",
                                    "metrics",
                                    "logger",
                                    "log-rotation-config-json",
                                    "distributed-tracing-address",
                                    "distributed-tracing-service-name",
                                    "distributed-tracing-instance-id"))
                    .flatMap(List::stream)
                    .toList();

    /** What would make a promise that this version does not keep. */
    static final List<Flag> NOT_SUPPORTED =
            Stream.of(
                            refused(
                                    Kind.TEXT,
                                    "",
                                    "discovery-token",
                                    "discovery-endpoints",
                                    "discovery-srv"),
                            refused(Kind.BOOLEAN, "false", "force-new-cluster"),
                            refused(Kind.TEXT, "*", "host-whitelist"))
                    .flatMap(List::stream)
                    .toList();

    private OtherFlags() {}

    private static List<Flag> none(Kind kind, String... names) {
        return Stream.of(names).map(n -> new Flag(n, kind, Effect.NONE, "", "")).toList();
    }

    private static List<Flag> refused(Kind kind, String allowed, String... names) {
        return Stream.of(names).map(n -> new Flag(n, kind, Effect.REFUSED, allowed, "")).toList();
    }
}
