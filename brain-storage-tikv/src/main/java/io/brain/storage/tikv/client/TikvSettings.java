package io.brain.storage.tikv.client;

import io.brain.options.Option;
import io.brain.options.StorageOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Settings of the TiKV storage, parsed from its options.
 *
 * @param network how to reach the cluster
 * @param rpcTimeout timeout of one request
 * @param readTimeout retry limit of a read
 * @param commitTimeout retry limit of a commit
 * @param lockTtl age at which other processes may resolve a transaction's locks
 * @param commitThreads maximum number of concurrent commits
 * @param batchBytesMax target size of a batch
 * @param gc retention of superseded versions
 */
public record TikvSettings(
        Network network,
        Duration rpcTimeout,
        Duration readTimeout,
        Duration commitTimeout,
        Duration lockTtl,
        int commitThreads,
        long batchBytesMax,
        Gc gc) {
    private static final long MIB = 1L << 20;

    /** Host and port. */
    private static final String ADDRESS = "[^\\s/,=]+:[0-9]{1,5}";

    /** The server passes its directory to every engine. */
    private static final Option<String> DATA_DIR =
            Option.text("data-dir", "", "not used: all data is in TiKV");

    private static final Option<List<String>> PD =
            Option.text("pd-endpoints", "", "host:port of each PD, separated by commas; required")
                    .map(TikvSettings::endpoints)
                    .expects("host:port, separated by commas");
    private static final Option<Map<String, String>> ADDRESS_MAP =
            Option.text(
                            "address-map",
                            "",
                            "host:port=host:port, separated by commas: translates addresses that"
                                    + " PD returns")
                    .map(TikvSettings::addressMap)
                    .expects("host:port=host:port, separated by commas");
    private static final Option<Duration> RPC_TIMEOUT =
            millis("rpc-timeout-ms", "2000", 60_000, "timeout of one request to PD or TiKV");
    private static final Option<Duration> READ_TIMEOUT =
            millis(
                    "read-timeout-ms",
                    "10000",
                    600_000,
                    "how long a read is retried while regions move or are unavailable");
    private static final Option<Duration> COMMIT_TIMEOUT =
            millis(
                    "commit-timeout-ms",
                    "10000",
                    600_000,
                    "how long a commit is retried while regions move or are unavailable");
    private static final Option<Duration> LOCK_TTL =
            millis(
                    "lock-ttl-ms",
                    "3000",
                    600_000,
                    "age at which others may resolve the locks of a commit");
    private static final Option<Integer> COMMIT_THREADS =
            Option.number("commit-threads", "8", 1, 256, "maximum number of concurrent commits")
                    .map(Math::toIntExact);
    private static final Option<Long> BATCH =
            Option.number("batch-size-max-mib", "2", 1, 64, "target size of a batch in MiB")
                    .map(mib -> mib * MIB);
    private static final Option<Boolean> GC =
            Option.bool(
                            "gc",
                            "true",
                            "whether the leader advances PD's safe point, so that TiKV removes"
                                    + " superseded versions; false if TiDB or another service"
                                    + " does")
                    .expects("true or false");
    private static final Option<Duration> GC_INTERVAL =
            millis(
                    "gc-interval-ms",
                    "60000",
                    3_600_000,
                    "interval between updates of PD's safe points");
    private static final Option<Duration> GC_LIFE_TIME =
            millis(
                    "gc-life-time-ms",
                    "600000",
                    86_400_000,
                    "minimum age at which superseded versions are removed; not above that of any"
                            + " other service that advances PD's safe point");
    private static final Option<String> CA =
            Option.text("ca-file", "", "CA bundle that verifies PD and TiKV, PEM; enables TLS");
    private static final Option<String> CERT =
            Option.text("cert-file", "", "client certificate, PEM");
    private static final Option<String> KEY =
            Option.text("key-file", "", "private key of the client certificate, PEM");

    /** All options, in the order of the help. */
    public static final List<Option<?>> OPTIONS =
            List.of(
                    DATA_DIR,
                    PD,
                    ADDRESS_MAP,
                    RPC_TIMEOUT,
                    READ_TIMEOUT,
                    COMMIT_TIMEOUT,
                    LOCK_TTL,
                    COMMIT_THREADS,
                    BATCH,
                    GC,
                    GC_INTERVAL,
                    GC_LIFE_TIME,
                    CA,
                    CERT,
                    KEY);

    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException for an option that is unknown, missing or out of its range
     */
    public static TikvSettings parse(Map<String, String> given) {
        StorageOptions options = new StorageOptions(OPTIONS, given);
        return new TikvSettings(
                new Network(options.get(PD), options.get(ADDRESS_MAP), tls(options)),
                options.get(RPC_TIMEOUT),
                options.get(READ_TIMEOUT),
                options.get(COMMIT_TIMEOUT),
                options.get(LOCK_TTL),
                options.get(COMMIT_THREADS),
                options.get(BATCH),
                new Gc(options.get(GC), options.get(GC_INTERVAL), options.get(GC_LIFE_TIME)));
    }

    private static Option<Duration> millis(String name, String fallback, int max, String help) {
        return Option.number(name, fallback, 10, max, help).map(Duration::ofMillis);
    }

    private static List<String> endpoints(String text) {
        List<String> endpoints = Stream.of(text.split(",", -1)).map(String::trim).toList();
        endpoints.forEach(TikvSettings::requireAddress);
        return endpoints;
    }

    private static Map<String, String> addressMap(String text) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String pair : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            Map.Entry<String, String> addresses = Option.parsePair(pair.trim());
            requireAddress(addresses.getKey());
            requireAddress(addresses.getValue());
            map.put(addresses.getKey(), addresses.getValue());
        }
        return Collections.unmodifiableMap(map);
    }

    private static void requireAddress(String text) {
        if (!text.matches(ADDRESS)) {
            throw new IllegalArgumentException("not host:port");
        }
    }

    private static Tls tls(StorageOptions options) {
        String ca = options.get(CA);
        String certificate = options.get(CERT);
        String key = options.get(KEY);
        if (ca.isEmpty() && certificate.isEmpty() && key.isEmpty()) {
            return null;
        }
        if (ca.isEmpty() || certificate.isEmpty() || key.isEmpty()) {
            throw new IllegalArgumentException(
                    "storage options ca-file, cert-file and key-file must be set together: PD and"
                            + " TiKV with TLS require client certificates");
        }
        return new Tls(ca, certificate, key);
    }

    /**
     * How to reach the cluster.
     *
     * @param pdEndpoints host:port of each PD; not empty
     * @param addressMap reachable host:port by the host:port that PD returns; empty for no
     *     translation
     * @param tls files for TLS; null for none
     */
    public record Network(List<String> pdEndpoints, Map<String, String> addressMap, Tls tls) {
        /** Translates an address that PD returned. */
        String reached(String named) {
            return addressMap.getOrDefault(named, named);
        }
    }

    /**
     * PEM files for connections to PD and TiKV.
     *
     * @param ca CA bundle
     * @param certificate client certificate
     * @param key private key of the certificate
     */
    public record Tls(String ca, String certificate, String key) {}

    /**
     * Retention of superseded versions.
     *
     * @param moves whether this process advances PD's safe point
     * @param interval of reports to PD
     * @param lifeTime minimum time for which superseded versions stay readable; equal for all
     *     services that advance PD's safe point
     */
    public record Gc(boolean moves, Duration interval, Duration lifeTime) {}
}
