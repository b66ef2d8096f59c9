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
                            "listen-client-http-urls",
                            Kind.URLS,
                            "",
                            "URLs to serve health and metrics to clients on; those of clients have"
                                    + " gRPC alone then."),
                    etcd(
                            "cert-file",
                            Kind.TEXT,
                            "",
                            "Certificate for https and unixs URLs of clients and metrics, PEM."),
                    etcd("key-file", Kind.TEXT, "", "Its private key."),
                    etcd(
                            "trusted-ca-file",
                            Kind.TEXT,
                            "",
                            "Authorities that vouch for clients; clients must show a certificate"
                                    + " then."),
                    etcd(
                            "client-cert-auth",
                            Kind.BOOLEAN,
                            "false",
                            "Clients must show a certificate."),
                    etcd(
                            "client-crl-file",
                            Kind.TEXT,
                            "",
                            "List of revoked certificates, DER or PEM: clients with one of them"
                                    + " are refused."),
                    etcd(
                            "client-cert-allowed-cn",
                            Kind.TEXT,
                            "",
                            "Common names, with commas between: a client's certificate must have"
                                    + " one of them (etcd has it as a key of its file only)."),
                    etcd(
                            "client-cert-allowed-hostname",
                            Kind.TEXT,
                            "",
                            "Names or addresses, with commas between: a client's certificate must"
                                    + " be for one of them."),
                    etcd(
                            "auto-tls",
                            Kind.BOOLEAN,
                            "false",
                            "Make a certificate for clients, if there is no --cert-file."),
                    etcd(
                            "self-signed-cert-validity",
                            Kind.NUMBER,
                            "1",
                            "Years that certificates of --auto-tls and --peer-auto-tls are valid"
                                    + " for."),
                    etcd(
                            "cipher-suites",
                            Kind.TEXT,
                            "",
                            "Cipher suites for TLS 1.2, with commas between, by their names in"
                                    + " TLS; empty: what is thought safe."),
                    etcd(
                            "tls-min-version",
                            Kind.TEXT,
                            "TLS1.2",
                            "Least version of TLS: TLS1.2 or TLS1.3."),
                    etcd(
                            "tls-max-version",
                            Kind.TEXT,
                            "",
                            "Last version of TLS: TLS1.2 or TLS1.3; empty: TLS1.3."),
                    etcd(
                            "initial-advertise-peer-urls",
                            Kind.URLS,
                            "http://localhost:2380",
                            "URLs that other members reach this one at; with --storage tikv they"
                                    + " identify it, and must be given."),
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
                            "peer-crl-file",
                            Kind.TEXT,
                            "",
                            "List of revoked certificates, DER or PEM: members with one of them"
                                    + " are refused."),
                    etcd(
                            "peer-cert-allowed-cn",
                            Kind.TEXT,
                            "",
                            "Common names, with commas between: the certificate of a member that"
                                    + " connects must have one of them."),
                    etcd(
                            "peer-cert-allowed-hostname",
                            Kind.TEXT,
                            "",
                            "Names or addresses, with commas between: the certificate of a member"
                                    + " that connects must be for one of them."),
                    etcd(
                            "peer-auto-tls",
                            Kind.BOOLEAN,
                            "false",
                            "Make a certificate for members, if there is no --peer-cert-file;"
                                    + " nobody's is checked then."),
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
                    etcd("log-outputs", Kind.TEXT, "default", "default, stderr or stdout."),
                    etcd(
                            "warning-apply-duration",
                            Kind.DURATION,
                            "100ms",
                            "A batch of writes that takes longer is logged, with its stages."),
                    etcd(
                            "warning-unary-request-duration",
                            Kind.DURATION,
                            "300ms",
                            "A call that is no stream and takes longer is logged."),
                    etcd(
                            "enable-distributed-tracing",
                            Kind.BOOLEAN,
                            "false",
                            "Name the trace in log lines about a call: of an attached OpenTelemetry"
                                    + " agent's span, or of the client's traceparent. Spans are"
                                    + " sent by the agent, as its own settings say."));

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
                                    + " to 60s."),
                    new Flag(
                            "brain-ui-keys",
                            Kind.BOOLEAN,
                            Effect.BRAIN,
                            "false",
                            "Show keys and values on the console, too, to everybody who can reach"
                                    + " it: /ui of --listen-metrics-urls."),
                    new Flag(
                            "brain-access-log",
                            Kind.TEXT,
                            Effect.BRAIN,
                            "",
                            "File to log every call to, one JSON object a line, never with values;"
                                    + " -: standard output."),
                    new Flag(
                            "brain-access-log-size",
                            Kind.SIZE,
                            Effect.BRAIN,
                            "64MiB",
                            "When the file has so many bytes it becomes FILE.1, and what was there"
                                    + " before FILE.2, up to FILE.4."));

    /** All flags, the ones with an effect first. */
    static final List<Flag> ALL =
            Stream.of(USED, OWN, OtherFlags.WITHOUT_EFFECT, OtherFlags.NOT_SUPPORTED)
                    .flatMap(List::stream)
                    .toList();

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
}
