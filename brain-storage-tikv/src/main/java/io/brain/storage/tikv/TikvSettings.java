package io.brain.storage.tikv;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The options of the TiKV storage.
 *
 * @param network how to reach the cluster
 * @param rpcTimeout how long one request may take
 * @param readTimeout how long a read goes on asking
 * @param commitTimeout how long a commit goes on asking
 * @param lockTtl how long a transaction's locks are left alone by others
 * @param commitThreads commits that can be on their way at once
 * @param batchBytesMax what a batch should not exceed
 * @param gc how long superseded versions are kept
 */
record TikvSettings(
        Network network,
        Duration rpcTimeout,
        Duration readTimeout,
        Duration commitTimeout,
        Duration lockTtl,
        int commitThreads,
        long batchBytesMax,
        GcSettings gc) {
    private static final long MIB = 1L << 20;

    /** Host and port. */
    private static final String ADDRESS = "[^\\s/,=]+:[0-9]{1,5}";

    /** An option with the value it has when it is not given. */
    private record Option(String name, String standard, String help) {}

    /** The server names its directory to every engine. */
    private static final Option DATA_DIR =
            new Option("data-dir", "", "not used: everything is kept in TiKV");

    private static final Option PD =
            new Option("pd-endpoints", "", "host:port of each PD, separated by commas; required");
    private static final Option ADDRESS_MAP =
            new Option(
                    "address-map",
                    "",
                    "host:port=host:port, separated by commas: where an address that PD names is"
                            + " reached from here");
    private static final Option RPC_TIMEOUT =
            new Option("rpc-timeout-ms", "2000", "how long one request to PD or TiKV may take");
    private static final Option READ_TIMEOUT =
            new Option(
                    "read-timeout-ms",
                    "10000",
                    "how long a read asks again while regions move or are away");
    private static final Option COMMIT_TIMEOUT =
            new Option(
                    "commit-timeout-ms",
                    "10000",
                    "how long a commit asks again while regions move or are away");
    private static final Option LOCK_TTL =
            new Option(
                    "lock-ttl-ms",
                    "3000",
                    "how long others leave the locks of a commit on its way alone");
    private static final Option COMMIT_THREADS =
            new Option("commit-threads", "8", "commits that can be on their way at once");
    private static final Option BATCH =
            new Option(
                    "batch-size-max-mib",
                    "2",
                    "size in MiB that a batch of writes should not exceed");
    private static final Option GC =
            new Option(
                    "gc",
                    "true",
                    "whether the leader moves PD's safe point, so that TiKV collects superseded"
                            + " versions; false where TiDB or another service does");
    private static final Option GC_INTERVAL =
            new Option(
                    "gc-interval-ms",
                    "60000",
                    "how often PD is told how far back is read, and its safe point is moved");
    private static final Option GC_LIFE_TIME =
            new Option(
                    "gc-life-time-ms",
                    "600000",
                    "how long superseded versions are kept at least; not more than that of anybody"
                            + " who moves PD's safe point");
    private static final Option CA =
            new Option("ca-file", "", "PEM file of trusted certificates; turns TLS on");
    private static final Option CERT =
            new Option("cert-file", "", "PEM file of the client's certificate");
    private static final Option KEY = new Option("key-file", "", "PEM file of its key");

    private static final Map<String, Option> OPTIONS =
            byName(
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

    /** A line of help for each option, in the order to show them in. */
    static Map<String, String> help() {
        Map<String, String> help = new LinkedHashMap<>();
        OPTIONS.forEach(
                (name, option) -> {
                    boolean shown = !option.standard().isEmpty();
                    String standard = shown ? " (default " + option.standard() + ")" : "";
                    help.put(name, option.help() + standard);
                });
        return Collections.unmodifiableMap(help);
    }

    /**
     * The settings that the options say.
     *
     * @throws IllegalArgumentException for an option that is unknown, missing or out of its range
     */
    static TikvSettings parse(Map<String, String> options) {
        for (String name : options.keySet()) {
            if (!OPTIONS.containsKey(name)) {
                throw new IllegalArgumentException(
                        "unknown storage option " + name + "; known are " + OPTIONS.keySet());
            }
        }
        return new TikvSettings(
                new Network(endpoints(options), addressMap(options), tls(options)),
                millis(options, RPC_TIMEOUT, 60_000),
                millis(options, READ_TIMEOUT, 600_000),
                millis(options, COMMIT_TIMEOUT, 600_000),
                millis(options, LOCK_TTL, 600_000),
                (int) number(options, COMMIT_THREADS, 1, 256),
                number(options, BATCH, 1, 64) * MIB,
                gc(options));
    }

    private static List<String> endpoints(Map<String, String> options) {
        List<String> endpoints =
                Stream.of(text(options, PD).split(",", -1)).map(String::trim).toList();
        for (String endpoint : endpoints) {
            if (!endpoint.matches(ADDRESS)) {
                throw wrong(PD, text(options, PD), "host:port, separated by commas");
            }
        }
        return endpoints;
    }

    private static Map<String, String> addressMap(Map<String, String> options) {
        String text = text(options, ADDRESS_MAP);
        if (text.isEmpty()) {
            return Map.of();
        }
        Map<String, String> map = new LinkedHashMap<>();
        for (String pair : text.split(",", -1)) {
            String[] sides = pair.trim().split("=", -1);
            if (sides.length != 2 || !sides[0].matches(ADDRESS) || !sides[1].matches(ADDRESS)) {
                throw wrong(ADDRESS_MAP, text, "host:port=host:port, separated by commas");
            }
            map.put(sides[0], sides[1]);
        }
        return Collections.unmodifiableMap(map);
    }

    private static GcSettings gc(Map<String, String> options) {
        String moves = text(options, GC);
        if (!moves.equals("true") && !moves.equals("false")) {
            throw wrong(GC, moves, "true or false");
        }
        Duration interval = millis(options, GC_INTERVAL, 3_600_000);
        Duration lifeTime = millis(options, GC_LIFE_TIME, 86_400_000);
        return new GcSettings(moves.equals("true"), interval, lifeTime);
    }

    private static TlsFiles tls(Map<String, String> options) {
        String ca = text(options, CA);
        String certificate = text(options, CERT);
        String key = text(options, KEY);
        if (ca.isEmpty() && certificate.isEmpty() && key.isEmpty()) {
            return null;
        }
        if (ca.isEmpty() || certificate.isEmpty() || key.isEmpty()) {
            throw new IllegalArgumentException(
                    "storage options ca-file, cert-file and key-file belong together: PD and TiKV"
                            + " with TLS ask for certificates");
        }
        return new TlsFiles(ca, certificate, key);
    }

    private static Map<String, Option> byName(Option... options) {
        Map<String, Option> byName = new LinkedHashMap<>();
        for (Option option : options) {
            byName.put(option.name(), option);
        }
        return byName;
    }

    private static String text(Map<String, String> options, Option option) {
        return options.getOrDefault(option.name(), option.standard()).trim();
    }

    private static Duration millis(Map<String, String> options, Option option, int max) {
        return Duration.ofMillis(number(options, option, 10, max));
    }

    private static long number(Map<String, String> options, Option option, int min, int max) {
        String text = text(options, option);
        long number = text.matches("[0-9]{1,15}") ? Long.parseLong(text) : -1;
        if (number < min || number > max) {
            throw wrong(option, text, "from " + min + " to " + max);
        }
        return number;
    }

    private static IllegalArgumentException wrong(Option option, String text, String expected) {
        return new IllegalArgumentException(
                "storage option " + option.name() + " must be " + expected + ", not " + text);
    }
}
