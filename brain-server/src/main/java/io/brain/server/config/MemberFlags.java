package io.brain.server.config;

import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Endpoint;
import io.brain.server.config.BrainConfig.Http;
import io.brain.server.config.BrainConfig.Tls;
import io.brain.server.config.BrainConfig.Urls;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Flags of the member: its name, data directory and URLs. */
final class MemberFlags {
    private static final String ANY_ORIGIN = "*";

    static final Option<String> NAME = Option.text("name", "default", "Name of this member.");
    static final Option<Path> DATA_DIR =
            Option.path("data-dir", "Data directory (default ${name}.etcd).");
    static final Option<List<URI>> LISTEN_CLIENT_URLS =
            ListenUrl.urls(
                    "listen-client-urls",
                    "http://localhost:2379",
                    "URLs to serve clients on: gRPC, and HTTP for the JSON gateway, health and"
                            + " metrics.");
    static final Option<List<URI>> ADVERTISE_CLIENT_URLS =
            ListenUrl.urls(
                    "advertise-client-urls",
                    "http://localhost:2379",
                    "Client URLs of this member, as shown in the member list.");
    static final Option<List<URI>> LISTEN_METRICS_URLS =
            ListenUrl.urls(
                    "listen-metrics-urls",
                    "",
                    "Additional URLs to serve /metrics, health and the console on.");
    static final Option<List<URI>> LISTEN_CLIENT_HTTP_URLS =
            ListenUrl.urls(
                    "listen-client-http-urls",
                    "",
                    "URLs to serve the JSON gateway, health and metrics to clients on;"
                            + " --listen-client-urls then serve only gRPC.");
    static final Option<List<URI>> ADVERTISE_PEER_URLS =
            ListenUrl.urls(
                    "initial-advertise-peer-urls",
                    "http://localhost:2380",
                    "Peer URLs of this member, as shown in the member list. Required with --storage"
                            + " tikv, mysql and postgres, where they identify the member.");
    static final Option<Boolean> ENABLE_GRPC_GATEWAY =
            Option.bool("enable-grpc-gateway", "true", "Serve the JSON gateway, under /v3/.");
    static final Option<List<String>> CORS =
            Option.text(
                            "cors",
                            ANY_ORIGIN,
                            "Origins of the web pages that may send HTTP requests, separated by"
                                    + " commas. *: all.")
                    .map(MemberFlags::origins);
    static final Option<Boolean> ENABLE_PPROF =
            Option.bool(
                    "enable-pprof",
                    "false",
                    "Serve recordings of Java's flight recorder, and stacks, under /debug/pprof/.");
    static final Option<Boolean> UI_KEYS =
            Option.bool(
                    "brain-ui-keys",
                    "false",
                    "Show keys and values on the console (/ui of --listen-metrics-urls), to"
                            + " everyone who can reach it.");

    private MemberFlags() {}

    /** The data directory as set, or named after the member. */
    static String dataDirName(FlagValues values) {
        String dataDir = values.text(DATA_DIR);
        return dataDir.isEmpty() ? values.text(NAME) + ".etcd" : dataDir;
    }

    /** What a start without a data directory uses; null if one is set. */
    static String dataDirNote(FlagValues values) {
        return values.text(DATA_DIR).isEmpty()
                ? "'data-dir' was empty; using " + dataDirName(values)
                : null;
    }

    static Path dataDir(FlagValues values) {
        return values.read(DATA_DIR, DATA_DIR.reader(), dataDirName(values));
    }

    static Urls readUrls(FlagValues values, Path dataDir) {
        boolean listens = values.isSet(LISTEN_CLIENT_URLS) && values.file() == null;
        if (listens && !values.isSet(ADVERTISE_CLIENT_URLS)) {
            throw ConfigException.value(
                    "--advertise-client-urls is required when --listen-client-urls is set"
                            + " explicitly");
        }
        List<Endpoint> clients = endpoints(values, LISTEN_CLIENT_URLS);
        List<Endpoint> pages = endpoints(values, LISTEN_CLIENT_HTTP_URLS);
        for (Endpoint page : pages) {
            boolean fixed = !(page.address() instanceof InetSocketAddress at) || at.getPort() != 0;
            if (fixed && clients.stream().anyMatch(c -> c.address().equals(page.address()))) {
                throw ConfigException.value(
                        "cannot bind both --listen-client-urls and --listen-client-http-urls on"
                                + " the same address "
                                + page.address());
            }
        }
        List<URI> all = new ArrayList<>(values.get(LISTEN_CLIENT_URLS));
        all.addAll(values.get(LISTEN_CLIENT_HTTP_URLS));
        Tls tls = TlsFlags.CLIENTS.read(values, dataDir, all);
        requireCertificate(
                all,
                tls,
                url ->
                        "TLS key/cert (--cert-file, --key-file) must be provided for client url "
                                + url
                                + " with HTTPS scheme");
        requireCertificate(
                values.get(LISTEN_METRICS_URLS),
                tls,
                url ->
                        "client TLS key/cert (--cert-file, --key-file) must be provided for"
                                + " metrics secure url");
        return new Urls(
                clients,
                pages,
                endpoints(values, LISTEN_METRICS_URLS),
                advertised(values, ADVERTISE_CLIENT_URLS, LISTEN_CLIENT_URLS).stream()
                        .distinct()
                        .toList(),
                advertised(values, ADVERTISE_PEER_URLS, ClusterFlags.LISTEN_PEER_URLS),
                tls,
                values.get(UI_KEYS),
                new Http(
                        values.get(ENABLE_GRPC_GATEWAY),
                        values.get(CORS),
                        values.get(ENABLE_PPROF)));
    }

    /** A warning for each URL without TLS although TLS is set up. Metrics may be open locally. */
    static List<String> warnings(FlagValues values, Tls tls) {
        List<String> ignored = new ArrayList<>();
        if (tls.server() != null) {
            ignored.add("key and cert files");
        }
        if (tls.callers().certificates()) {
            ignored.add("client cert auth");
        }
        List<String> warnings = new ArrayList<>();
        if (ignored.isEmpty()) {
            return warnings;
        }
        for (Option<List<URI>> flag :
                List.of(LISTEN_CLIENT_URLS, LISTEN_CLIENT_HTTP_URLS, LISTEN_METRICS_URLS)) {
            for (URI url : values.get(flag)) {
                boolean local = !url.getScheme().equals("http") || ListenUrl.isLoopback(url);
                if (url.getScheme().endsWith("s") || (flag.equals(LISTEN_METRICS_URLS) && local)) {
                    continue;
                }
                warnings.add(
                        "%s %s: scheme is http or unix, ignoring %s for this URL"
                                .formatted(flag.flag(), url, String.join(" and ", ignored)));
            }
        }
        return warnings;
    }

    /**
     * The URLs of a flag. As in etcd, the default becomes an address of this machine if the member
     * listens on all of them. A peer URL on a shared storage stays: it identifies the member.
     */
    private static List<URI> advertised(
            FlagValues values, Option<List<URI>> flag, Option<List<URI>> listening) {
        String host = needsHost(values, flag, listening) ? ListenUrl.defaultHost() : null;
        return host == null
                ? values.get(flag)
                : List.of(URI.create("http://" + host + ':' + first(values, listening).getPort()));
    }

    private static boolean needsHost(
            FlagValues values, Option<List<URI>> flag, Option<List<URI>> listening) {
        return values.get(flag).equals(ListenUrl.parse(flag.fallback()))
                && ListenUrl.ANY.equals(first(values, listening).getHost())
                && (flag.equals(ADVERTISE_CLIENT_URLS) || ClusterFlags.isLocal(values));
    }

    private static URI first(FlagValues values, Option<List<URI>> flag) {
        return values.get(flag).get(0);
    }

    /** What becomes of the default of advertised URLs; null if they stay. */
    static String hostNote(FlagValues values) {
        if (!needsHost(values, ADVERTISE_CLIENT_URLS, LISTEN_CLIENT_URLS)
                && !needsHost(values, ADVERTISE_PEER_URLS, ClusterFlags.LISTEN_PEER_URLS)) {
            return null;
        }
        String host = ListenUrl.defaultHost();
        return host == null
                ? "failed to detect default host: localhost is advertised"
                : "detected default host for advertise: " + host;
    }

    /** As in etcd, no origin means all. */
    private static List<String> origins(String text) {
        List<String> origins = new ArrayList<>();
        for (String origin : text.split(",", -1)) {
            origins.addAll(
                    origin.equals(ANY_ORIGIN)
                            ? List.of(ANY_ORIGIN)
                            : ListenUrl.parse(origin).stream().map(URI::toString).toList());
        }
        return origins.isEmpty() ? List.of(ANY_ORIGIN) : List.copyOf(origins);
    }

    private static void requireCertificate(List<URI> urls, Tls tls, Function<URI, String> message) {
        for (URI url : urls) {
            if (url.getScheme().endsWith("s") && tls.server() == null) {
                throw ConfigException.value(message.apply(url));
            }
        }
    }

    private static List<Endpoint> endpoints(FlagValues values, Option<List<URI>> flag) {
        return values.get(flag).stream()
                .distinct()
                .map(url -> ListenUrl.endpoint(flag.name(), url))
                .toList();
    }
}
