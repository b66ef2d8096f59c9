package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import io.brain.server.config.Flag.Kind;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every flag: etcd's, and Brain's own. */
final class Flags {
    static final String CONFIG_FILE = "config-file";
    static final String CONFIG_PRINT = "config-print";

    private static final List<Flag> USED =
            List.of(
                    etcd(
                            CONFIG_FILE,
                            Kind.TEXT,
                            "",
                            "File with all settings, in YAML with etcd's keys: durations in"
                                    + " nanoseconds or with units. Other flags and variables are"
                                    + " ignored then, but for Brain's own."),
                    etcd("name", Kind.TEXT, "default", "Name of this member."),
                    etcd("data-dir", Kind.TEXT, "", "Where data is kept (default ${name}.etcd)."),
                    etcd(
                            "listen-client-urls",
                            Kind.URLS,
                            "http://localhost:2379",
                            "URLs to serve clients on: gRPC, and HTTP for health and metrics."),
                    etcd(
                            "advertise-client-urls",
                            Kind.URLS,
                            "http://localhost:2379",
                            "URLs that clients can reach this member at."),
                    etcd(
                            "listen-metrics-urls",
                            Kind.URLS,
                            "",
                            "More URLs to serve /metrics and health on."),
                    etcd(
                            "initial-advertise-peer-urls",
                            Kind.URLS,
                            "http://localhost:2380",
                            "URLs that other members reach this one at, if the storage is shared;"
                                    + " shown in the list of members."),
                    etcd(
                            "listen-peer-urls",
                            Kind.URLS,
                            "http://localhost:2380",
                            "URLs to serve other members on, if the storage is shared; with a"
                                    + " storage of its own (rocksdb) nothing listens there."),
                    etcd(
                            "peer-cert-file",
                            Kind.TEXT,
                            "",
                            "Certificate for https peer URLs, shown to members that connect and"
                                    + " that this one connects to."),
                    etcd("peer-key-file", Kind.TEXT, "", "Its private key."),
                    etcd(
                            "peer-client-cert-file",
                            Kind.TEXT,
                            "",
                            "Certificate shown to members that this one connects to, if it is"
                                    + " another one."),
                    etcd("peer-client-key-file", Kind.TEXT, "", "Its private key."),
                    etcd(
                            "peer-trusted-ca-file",
                            Kind.TEXT,
                            "",
                            "Authorities that vouch for other members; members that connect must"
                                    + " show a certificate then."),
                    etcd(
                            "peer-client-cert-auth",
                            Kind.BOOLEAN,
                            "false",
                            "Members that connect must show a certificate."),
                    etcd(
                            "quota-backend-bytes",
                            Kind.SIZE,
                            "0",
                            "Most bytes to store; beyond it the NOSPACE alarm is raised. 0: no"
                                    + " limit."),
                    etcd("max-txn-ops", Kind.NUMBER, "128", "Most operations in a transaction."),
                    etcd(
                            "max-request-bytes",
                            Kind.SIZE,
                            "1572864",
                            "Most bytes in a client's request."),
                    etcd(
                            "max-concurrent-streams",
                            Kind.NUMBER,
                            "4294967295",
                            "Most streams at a time on one connection; at most one for 22 KiB of"
                                    + " heap."),
                    etcd(
                            "grpc-keepalive-min-time",
                            Kind.DURATION,
                            "5s",
                            "A client must leave this much between pings."),
                    etcd(
                            "grpc-keepalive-interval",
                            Kind.DURATION,
                            "2h",
                            "A connection idle for this long is pinged. 0: never."),
                    etcd(
                            "grpc-keepalive-timeout",
                            Kind.DURATION,
                            "20s",
                            "How long to wait for the answer to a ping."),
                    etcd(
                            "watch-progress-notify-interval",
                            Kind.DURATION,
                            "10m",
                            "How often a watcher that asked for it hears of progress."),
                    etcd(
                            "auto-compaction-mode",
                            Kind.TEXT,
                            "periodic",
                            "What the retention counts: periodic (time) or revision."),
                    etcd(
                            "auto-compaction-retention",
                            Kind.TEXT,
                            "0",
                            "How much history to keep: hours or a duration, or revisions. 0: all,"
                                    + " until a client compacts it."),
                    etcd(
                            "feature-gates",
                            Kind.TEXT,
                            "",
                            "name=true|false, with commas between. LeaseCheckpoint keeps what is"
                                    + " left of long leases over a restart; etcd's other gates"
                                    + " change nothing."),
                    etcd(
                            "log-level",
                            Kind.TEXT,
                            "info",
                            "debug, info, warn, error, panic or fatal."),
                    etcd("log-format", Kind.TEXT, "json", "json or console."),
                    etcd("log-outputs", Kind.TEXT, "default", "default, stderr or stdout."));

    private static final List<Flag> OWN =
            List.of(
                    new Flag(
                            CONFIG_PRINT,
                            Kind.BOOLEAN,
                            Effect.BRAIN,
                            "false",
                            "Print all settings and where each comes from, and exit."),
                    new Flag("storage", Kind.TEXT, Effect.BRAIN, "rocksdb", "The storage engine."),
                    new Flag(
                            "storage-option",
                            Kind.PAIRS,
                            Effect.BRAIN,
                            "",
                            "key=value for the storage engine; may be repeated."),
                    new Flag(
                            "pd-endpoints",
                            Kind.TEXT,
                            Effect.BRAIN,
                            "",
                            "host:port of each PD, with commas between, for --storage tikv."),
                    new Flag(
                            "keyspace",
                            Kind.TEXT,
                            Effect.BRAIN,
                            "",
                            "Name of this cluster, where several share one storage: letters,"
                                    + " digits, '_', '.', '-', at most 64."),
                    new Flag(
                            "leader-lease",
                            Kind.DURATION,
                            Effect.BRAIN,
                            "3s",
                            "How long a leader may be silent before another member leads: 500ms"
                                    + " to 60s."));

    /** What belongs to raft, to etcd's own files or to etcd's own tuning. */
    private static final List<Flag> WITHOUT_EFFECT =
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
                                    "self-signed-cert-validity",
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
                                    "peer-auto-tls",
                                    "peer-skip-client-san-verification",
                                    "enable-pprof",
                                    "enable-log-rotation",
                                    "enable-distributed-tracing",
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
                                    "downgrade-check-time",
                                    "warning-apply-duration",
                                    "warning-unary-request-duration"),
                            none(
                                    Kind.TEXT,
                                    "wal-dir",
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
                                    "peer-cert-allowed-cn",
                                    "peer-cert-allowed-hostname",
                                    "peer-crl-file",
                                    "cors",
                                    "tls-min-version",
                                    "tls-max-version",
                                    "cipher-suites",
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
    private static final List<Flag> NOT_SUPPORTED =
            Stream.of(
                            refused(
                                    Kind.TEXT,
                                    "",
                                    "cert-file",
                                    "key-file",
                                    "client-cert-file",
                                    "client-key-file",
                                    "client-crl-file",
                                    "client-cert-allowed-cn",
                                    "client-cert-allowed-hostname",
                                    "trusted-ca-file",
                                    "discovery-token",
                                    "discovery-endpoints",
                                    "discovery-srv"),
                            refused(Kind.URLS, "", "listen-client-http-urls"),
                            refused(
                                    Kind.BOOLEAN,
                                    "false",
                                    "client-cert-auth",
                                    "auto-tls",
                                    "force-new-cluster"),
                            refused(Kind.TEXT, "*", "host-whitelist"))
                    .flatMap(List::stream)
                    .toList();

    /** All flags, the ones with an effect first. */
    static final List<Flag> ALL =
            Stream.of(USED, OWN, WITHOUT_EFFECT, NOT_SUPPORTED).flatMap(List::stream).toList();

    private static final Map<String, Flag> BY_NAME =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Flag::name, flag -> flag));

    private Flags() {}

    /** The flag of that name; there must be one. */
    static Flag find(String name) {
        Flag flag = BY_NAME.get(name);
        if (flag == null) {
            throw new IllegalArgumentException("no flag " + name);
        }
        return flag;
    }

    private static Flag etcd(String name, Kind kind, String fallback, String help) {
        return new Flag(name, kind, Effect.ETCD, fallback, help);
    }

    private static List<Flag> none(Kind kind, String... names) {
        return Stream.of(names).map(n -> new Flag(n, kind, Effect.NONE, "", "")).toList();
    }

    private static List<Flag> refused(Kind kind, String allowed, String... names) {
        return Stream.of(names).map(n -> new Flag(n, kind, Effect.REFUSED, allowed, "")).toList();
    }
}
