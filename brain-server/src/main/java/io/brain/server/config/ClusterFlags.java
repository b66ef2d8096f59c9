package io.brain.server.config;

import static io.brain.server.config.ConfigException.require;

import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Cluster;
import io.brain.server.config.BrainConfig.PlacedStore;
import io.brain.server.config.BrainConfig.Storage;
import io.brain.server.config.BrainConfig.Tls;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Flags of the storage, the cluster and the connections between members. */
final class ClusterFlags {
    static final Option<List<URI>> LISTEN_PEER_URLS =
            ListenUrl.urls(
                    "listen-peer-urls",
                    "http://localhost:2380",
                    "URLs to serve other members on; not used if the storage is not shared"
                            + " (rocksdb).");
    static final Option<Boolean> STRICT_RECONFIG_CHECK =
            Option.bool(
                    "strict-reconfig-check",
                    "true",
                    "Refuse to add a member unless a majority of the members, counting it, has"
                            + " started and responds.");
    static final Option<String> STORAGE =
            Option.text("storage", "rocksdb", "Storage engine: rocksdb, tikv, mysql or postgres.");
    static final Option<Map.Entry<String, String>> STORAGE_OPTION =
            Option.pairs("storage-option", "key=value for the storage engine; may be repeated.");
    static final Option<Map.Entry<String, String>> PLACED_STORE =
            Option.pairs(
                    "placed-store",
                    "name=rocksdb:DIR or name=tikv:PD,PD/KEYSPACE: another store, to place prefixes"
                            + " on (brain place); may be repeated.");

    static final Option<String> PD_ENDPOINTS =
            Option.text(
                    "pd-endpoints",
                    "",
                    "host:port of each PD, separated by commas, for --storage tikv.");
    static final Option<String> KEYSPACE =
            Option.text(
                            "keyspace",
                            "",
                            "Name of this cluster if several share one storage: letters, digits,"
                                    + " '_', '.', '-', at most 64.")
                    .map(
                            require(
                                    name -> name.matches("[A-Za-z0-9_.-]{0,64}"),
                                    "--keyspace must be at most 64 letters, digits, '_', '.' or"
                                            + " '-'"));
    static final Option<Duration> LEADER_LEASE =
            Option.duration(
                            "leader-lease",
                            "3s",
                            "Time without a renewal by the leader after which another member may"
                                    + " lead: 500ms to 60s.")
                    .map(
                            require(
                                    lease ->
                                            lease.toMillis() >= 500
                                                    && lease.compareTo(Duration.ofSeconds(60)) <= 0,
                                    "--leader-lease must be from 500ms to 60s"));

    static final Option<Boolean> STRICT_READS =
            Option.bool(
                    "strict-reads",
                    "false",
                    "Prove the leadership by a commit for each group of linearizable reads, so that"
                            + " a leader whose machine was suspended, with its clock, answers"
                            + " nothing old.");

    private static final String TIKV = "tikv";

    /** Stores data on this machine, so that no other member can serve it. */
    private static final String LOCAL = "rocksdb";

    /** Brain's engines whose data several members serve. */
    private static final Set<String> SHARED = Set.of(TIKV, "mysql", "postgres");

    private static final int STORES_MAX = 16;
    private static final String DIRECTORY = "rocksdb:";
    private static final String PD = "tikv:";

    private ClusterFlags() {}

    static Storage storage(FlagValues values, Path dataDir) {
        String engine = values.get(STORAGE);
        Map<String, String> options = new HashMap<>(values.pairs(STORAGE_OPTION));
        String endpoints = values.get(PD_ENDPOINTS);
        if (!endpoints.isEmpty()) {
            if (!engine.equals(TIKV)) {
                throw ConfigException.value("--pd-endpoints requires --storage tikv");
            }
            String other = options.put(PD_ENDPOINTS.name(), endpoints);
            if (other != null && !other.equals(endpoints)) {
                throw ConfigException.value(
                        "--pd-endpoints and --storage-option pd-endpoints differ");
            }
        }
        return new Storage(engine, dataDir, Map.copyOf(options), placed(values));
    }

    /** The placed stores, in order of names. */
    private static List<PlacedStore> placed(FlagValues values) {
        Map<String, String> given = new TreeMap<>(values.pairs(PLACED_STORE));
        if (!given.isEmpty() && !isLocal(values)) {
            throw ConfigException.value("--placed-store requires --storage rocksdb");
        }
        if (given.size() > STORES_MAX) {
            throw ConfigException.value("--placed-store: at most " + STORES_MAX + " stores");
        }
        return given.entrySet().stream()
                .map(one -> placedStore(one.getKey(), one.getValue()))
                .toList();
    }

    private static PlacedStore placedStore(String name, String text) {
        if (!name.matches("[a-z0-9-]{1,32}") || name.equals("base")) {
            throw ConfigException.value(
                    "--placed-store %s: a name has up to 32 lower-case letters, digits or '-', and"
                                    .formatted(name)
                            + " is not base");
        }
        int slash = text.lastIndexOf('/');
        if (text.startsWith(DIRECTORY) && text.length() > DIRECTORY.length()) {
            Path directory = Path.of(text.substring(DIRECTORY.length()));
            return new PlacedStore(name, new Storage("rocksdb", directory, Map.of()), "");
        }
        if (text.startsWith(PD) && slash > PD.length()) {
            String keyspace = text.substring(slash + 1);
            if (!keyspace.matches("[A-Za-z0-9_.-]{1,64}")) {
                throw ConfigException.value("--placed-store " + name + ": not a keyspace: " + text);
            }
            Map<String, String> options =
                    Map.of("pd-endpoints", text.substring(PD.length(), slash));
            return new PlacedStore(name, new Storage("tikv", Path.of(""), options), keyspace);
        }
        throw ConfigException.value(
                "--placed-store %s=%s: want rocksdb:DIR or tikv:PD,PD/KEYSPACE"
                        .formatted(name, text));
    }

    static Cluster cluster(FlagValues values, Path dataDir) {
        String keyspace = values.get(KEYSPACE);
        Duration lease = values.get(LEADER_LEASE);
        boolean strictAdd = values.get(STRICT_RECONFIG_CHECK);
        if (isLocal(values)) {
            return new Cluster(keyspace, lease, false, strictAdd, List.of(), false, Tls.NONE);
        }
        if (isShared(values) && !values.isSet(MemberFlags.ADVERTISE_PEER_URLS)) {
            throw ConfigException.value(
                    MemberFlags.ADVERTISE_PEER_URLS.flag()
                            + " is required with --storage "
                            + values.get(STORAGE)
                            + ": the URLs identify the server,"
                            + " and others reach it there; the default is the same on every host");
        }
        List<URI> urls = values.get(LISTEN_PEER_URLS).stream().distinct().toList();
        Tls tls = TlsFlags.PEERS.read(values, dataDir, urls);
        boolean secure = isSecure(urls, tls);
        boolean strict = values.get(STRICT_READS);
        return new Cluster(keyspace, lease, strict, strictAdd, addresses(urls), secure, tls);
    }

    /** A warning for each insecure or unreachable peer URL. */
    static List<String> warnings(FlagValues values, Tls tls) {
        List<String> warnings = new ArrayList<>();
        if (!isShared(values)) {
            return warnings;
        }
        List<URI> advertised = values.get(MemberFlags.ADVERTISE_PEER_URLS);
        if (advertised.stream().allMatch(ListenUrl::isLoopback)) {
            warnings.add(
                    MemberFlags.ADVERTISE_PEER_URLS.flag()
                            + " names loopback addresses only: servers on other hosts cannot reach"
                            + " this one, and must not use the same URLs");
        }
        for (URI url : values.get(LISTEN_PEER_URLS)) {
            if (ListenUrl.isLoopback(url)) {
                continue;
            }
            if (url.getScheme().equals("http")) {
                warnings.add(
                        openPeers(url)
                                + " in plaintext: anyone who can connect can read and change all"
                                + " data; use https, --peer-cert-file, --peer-key-file and"
                                + " --peer-client-cert-auth, or restrict access to the servers");
            } else if (!tls.callers().certificates()) {
                warnings.add(
                        openPeers(url)
                                + " without client certificates: anyone who can connect can read"
                                + " and change all data; set --peer-client-cert-auth and"
                                + " --peer-trusted-ca-file, or restrict access to the servers");
            }
        }
        return warnings;
    }

    private static String openPeers(URI url) {
        return LISTEN_PEER_URLS.flag() + ' ' + url + " serves peers";
    }

    /** Flags that are set but have no effect because the storage is not shared. */
    static List<String> withoutEffect(FlagValues values) {
        if (!isLocal(values)) {
            return List.of();
        }
        List<Option<?>> options = new ArrayList<>(List.of(LISTEN_PEER_URLS));
        options.addAll(TlsFlags.PEERS.options());
        options.addAll(List.of(KEYSPACE, LEADER_LEASE, STRICT_READS));
        return options.stream().filter(values::isSet).map(Option::flag).toList();
    }

    static boolean isLocal(FlagValues values) {
        return values.get(STORAGE).equals(LOCAL);
    }

    /** False for an engine of others, about which nothing is known. */
    private static boolean isShared(FlagValues values) {
        return SHARED.contains(values.get(STORAGE));
    }

    private static boolean isSecure(List<URI> urls, Tls tls) {
        boolean secure = "https".equals(urls.get(0).getScheme());
        if (urls.stream().anyMatch(url -> "https".equals(url.getScheme()) != secure)) {
            throw ConfigException.value("--listen-peer-urls must be all http or all https");
        }
        if (secure && tls.server() == null) {
            throw ConfigException.value(
                    "--listen-peer-urls "
                            + urls.get(0)
                            + " requires --peer-cert-file and --peer-key-file");
        }
        return secure;
    }

    private static List<InetSocketAddress> addresses(List<URI> urls) {
        return urls.stream()
                .map(url -> ListenUrl.peerAddress(LISTEN_PEER_URLS.name(), url))
                .toList();
    }
}
