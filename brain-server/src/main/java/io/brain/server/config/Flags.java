package io.brain.server.config;

import io.brain.options.Option;
import io.brain.server.config.Flag.Effect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All flags, in the order of the help. A flag is declared in the class that reads it. */
final class Flags {
    static final Option<String> CONFIG_FILE =
            Option.text(
                    "config-file",
                    "",
                    "YAML file with all settings, under etcd's keys; durations in nanoseconds or"
                            + " with units. Other flags and variables, except Brain's own, are then"
                            + " ignored.");
    static final Option<Boolean> CONFIG_PRINT =
            Option.bool(
                    "config-print", "false", "Print all settings with their sources, and exit.");

    /** By name. */
    private static final Map<String, Flag> BY_NAME = new LinkedHashMap<>();

    static {
        add(
                Effect.ETCD,
                List.of(
                        CONFIG_FILE,
                        MemberFlags.NAME,
                        MemberFlags.DATA_DIR,
                        MemberFlags.LISTEN_CLIENT_URLS,
                        MemberFlags.ADVERTISE_CLIENT_URLS,
                        MemberFlags.LISTEN_METRICS_URLS,
                        MemberFlags.LISTEN_CLIENT_HTTP_URLS,
                        MemberFlags.ENABLE_GRPC_GATEWAY,
                        MemberFlags.CORS,
                        MemberFlags.ENABLE_PPROF));
        add(Effect.ETCD, TlsFlags.CLIENTS.options());
        add(
                Effect.ETCD,
                List.of(
                        TlsFlags.SELF_SIGNED_CERT_VALIDITY,
                        TlsFlags.CIPHER_SUITES,
                        TlsFlags.TLS_MIN_VERSION,
                        TlsFlags.TLS_MAX_VERSION,
                        MemberFlags.ADVERTISE_PEER_URLS,
                        ClusterFlags.LISTEN_PEER_URLS,
                        ClusterFlags.STRICT_RECONFIG_CHECK));
        add(Effect.ETCD, TlsFlags.PEERS.options());
        add(
                Effect.ETCD,
                List.of(
                        AuthFlags.AUTH_TOKEN,
                        AuthFlags.AUTH_TOKEN_TTL,
                        AuthFlags.BCRYPT_COST,
                        LimitFlags.QUOTA_BACKEND_BYTES,
                        LimitFlags.MAX_TXN_OPS,
                        LimitFlags.MAX_REQUEST_BYTES,
                        LimitFlags.MAX_CONCURRENT_STREAMS,
                        LimitFlags.KEEPALIVE_MIN_TIME,
                        LimitFlags.KEEPALIVE_INTERVAL,
                        LimitFlags.KEEPALIVE_TIMEOUT,
                        LimitFlags.WATCH_PROGRESS_NOTIFY_INTERVAL,
                        RetentionFlags.AUTO_COMPACTION_MODE,
                        RetentionFlags.AUTO_COMPACTION_RETENTION,
                        FeatureGates.FEATURE_GATES,
                        LogFlags.LOG_LEVEL,
                        LogFlags.LOG_FORMAT,
                        LogFlags.LOG_OUTPUTS,
                        LogFlags.WARNING_APPLY_DURATION,
                        LogFlags.WARNING_UNARY_REQUEST_DURATION,
                        LogFlags.ENABLE_DISTRIBUTED_TRACING));
        add(
                Effect.BRAIN,
                List.of(
                        CONFIG_PRINT,
                        ClusterFlags.STORAGE,
                        ClusterFlags.STORAGE_OPTION,
                        ClusterFlags.PLACED_STORE,
                        ClusterFlags.PD_ENDPOINTS,
                        ClusterFlags.KEYSPACE,
                        ClusterFlags.LEADER_LEASE,
                        ClusterFlags.STRICT_READS,
                        StandbyFlags.STANDBY_OF,
                        StandbyFlags.STANDBY_CACERT,
                        StandbyFlags.STANDBY_CERT,
                        StandbyFlags.STANDBY_KEY,
                        StandbyFlags.STANDBY_USER,
                        StandbyFlags.STANDBY_PASSWORD_FILE,
                        LimitFlags.WATCH_PROGRESS_BEFORE_COMPACTION,
                        LimitFlags.WATCH_RESUME_BELOW_COMPACTION,
                        RetentionFlags.TTL_RULES,
                        RetentionFlags.WARM_UP,
                        MemberFlags.UI_KEYS,
                        LogFlags.ACCESS_LOG,
                        LogFlags.ACCESS_LOG_SIZE));
        add(Effect.NONE, IgnoredFlags.WITHOUT_EFFECT);
        add(Effect.REFUSED, IgnoredFlags.NOT_SUPPORTED);
    }

    static final List<Flag> ALL = List.copyOf(BY_NAME.values());

    private Flags() {}

    private static void add(Effect effect, List<? extends Option<?>> options) {
        options.forEach(option -> BY_NAME.put(option.name(), new Flag(option, effect)));
    }

    /** The flag of that name, which must exist. */
    static Flag find(String name) {
        Flag flag = BY_NAME.get(name);
        if (flag == null) {
            throw new IllegalArgumentException("no flag " + name);
        }
        return flag;
    }
}
