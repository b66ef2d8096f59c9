package io.brain.server.config;

import io.brain.server.config.BrainConfig.Cluster;
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
import java.util.regex.Pattern;

/** Reads the flags of what nodes share, and of how they reach each other. */
final class ClusterFlags {
    private static final String TIKV = "tikv";

    /** Keeps its data on this machine: nobody else can serve it. */
    private static final String LOCAL = "rocksdb";

    private static final String PD_ENDPOINTS = "pd-endpoints";
    private static final String LISTEN = "listen-peer-urls";
    private static final String ADVERTISE = "initial-advertise-peer-urls";
    private static final Pattern KEYSPACE = Pattern.compile("[A-Za-z0-9_.-]{0,64}");
    private static final Duration LEASE_MIN = Duration.ofMillis(500);
    private static final Duration LEASE_MAX = Duration.ofSeconds(60);

    /** Between nodes; of no use where there is one. */
    private static final List<String> SHARED_ONLY =
            List.of(
                    LISTEN,
                    "peer-cert-file",
                    "peer-key-file",
                    "peer-client-cert-file",
                    "peer-client-key-file",
                    "peer-trusted-ca-file",
                    "peer-client-cert-auth",
                    "peer-crl-file",
                    "peer-cert-allowed-cn",
                    "peer-cert-allowed-hostname",
                    "peer-auto-tls",
                    "keyspace",
                    "leader-lease");

    private ClusterFlags() {}

    static Storage storage(FlagValues values, Path dataDir) {
        String engine = values.text("storage");
        Map<String, String> options = new HashMap<>(values.pairs("storage-option"));
        String endpoints = values.text(PD_ENDPOINTS);
        if (!endpoints.isEmpty()) {
            if (!engine.equals(TIKV)) {
                throw ConfigException.value("--pd-endpoints is of use with --storage tikv only");
            }
            String other = options.put(PD_ENDPOINTS, endpoints);
            if (other != null && !other.equals(endpoints)) {
                throw ConfigException.value(
                        "--pd-endpoints and --storage-option pd-endpoints differ");
            }
        }
        return new Storage(engine, dataDir, options);
    }

    static Cluster cluster(FlagValues values, Path dataDir) {
        String keyspace = values.text("keyspace");
        if (!KEYSPACE.matcher(keyspace).matches()) {
            throw ConfigException.value(
                    "--keyspace: letters, digits, '_', '.' and '-', at most 64 of them");
        }
        Duration lease = values.duration("leader-lease");
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
            throw ConfigException.value("--leader-lease is not within 500ms and 60s");
        }
        if (isLocal(values)) {
            return new Cluster(keyspace, lease, List.of(), false, Tls.NONE);
        }
        if (values.text("storage").equals(TIKV) && !values.isSet(ADVERTISE)) {
            throw ConfigException.value(
                    "--"
                            + ADVERTISE
                            + " is required with --storage tikv: the URLs identify the server,"
                            + " and others reach it there; the default is the same on every host");
        }
        List<URI> urls = values.urls(LISTEN).stream().distinct().toList();
        if (urls.isEmpty()) {
            throw ConfigException.value("--" + LISTEN + " names no URL to listen on");
        }
        Tls tls = TlsFlags.peers(values, dataDir, urls);
        boolean secure = isSecure(urls, tls);
        return new Cluster(keyspace, lease, addresses(urls), secure, tls);
    }

    /** A line for each way of serving peers that may not be meant; none if there is none. */
    static List<String> notes(FlagValues values, Tls tls) {
        List<String> notes = new ArrayList<>();
        if (!values.text("storage").equals(TIKV)) {
            return notes;
        }
        List<URI> advertised = values.urls(ADVERTISE);
        if (advertised.stream().allMatch(ClusterFlags::isLoopback)) {
            notes.add(
                    "--"
                            + ADVERTISE
                            + " names loopback addresses only: servers on other hosts cannot reach"
                            + " this one, and must not have the same URLs");
        }
        for (URI url : values.urls(LISTEN)) {
            if (isLoopback(url)) {
                continue;
            }
            if (url.getScheme().equals("http")) {
                notes.add(
                        openPeers(url)
                                + " in plain text: who reaches it can read and change all data; use"
                                + " https, --peer-cert-file, --peer-key-file and"
                                + " --peer-client-cert-auth, or let only servers reach it");
            } else if (!tls.callers().certificates()) {
                notes.add(
                        openPeers(url)
                                + " without client certificates: who reaches it can read and"
                                + " change all data; set --peer-client-cert-auth and"
                                + " --peer-trusted-ca-file, or let only servers reach it");
            }
        }
        return notes;
    }

    private static String openPeers(URI url) {
        return "--" + LISTEN + ' ' + url + " serves peers";
    }

    private static boolean isLoopback(URI url) {
        String host = url.getHost();
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    /** Names of given flags that have nothing to act on where one node has the data. */
    static List<String> withoutEffect(FlagValues values) {
        return isLocal(values)
                ? SHARED_ONLY.stream().filter(values::isSet).map(name -> "--" + name).toList()
                : List.of();
    }

    private static boolean isLocal(FlagValues values) {
        return values.text("storage").equals(LOCAL);
    }

    private static boolean isSecure(List<URI> urls, Tls tls) {
        boolean secure = "https".equals(urls.get(0).getScheme());
        if (urls.stream().anyMatch(url -> "https".equals(url.getScheme()) != secure)) {
            throw ConfigException.value("--listen-peer-urls: all http or all https");
        }
        if (secure && tls.server() == null) {
            throw ConfigException.value(
                    "--listen-peer-urls "
                            + urls.get(0)
                            + " needs --peer-cert-file and --peer-key-file");
        }
        return secure;
    }

    private static List<InetSocketAddress> addresses(List<URI> urls) {
        return urls.stream().map(url -> ListenUrl.peerAddress(LISTEN, url)).toList();
    }
}
