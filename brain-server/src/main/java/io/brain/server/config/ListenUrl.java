package io.brain.server.config;

import io.brain.options.HostPort;
import io.brain.options.Option;
import io.brain.options.Option.Kind;
import io.brain.server.config.BrainConfig.Endpoint;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Parses lists of URLs in etcd's flags. */
final class ListenUrl {
    /** All addresses of IPv4. */
    static final String ANY = "0.0.0.0";

    private static final String LOCALHOST = "localhost";
    private static final Pattern IPV4 = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    private ListenUrl() {}

    /** Declares an option that is a list of URLs. As in etcd, an empty text is the default. */
    static Option<List<URI>> urls(String name, String fallback, String help) {
        return Option.of(
                name, Kind.URLS, fallback, help, text -> parse(text.isEmpty() ? fallback : text));
    }

    /**
     * Parses comma-separated URLs, each with a scheme, a host and a port, and sorts them as etcd
     * does; none for an empty text.
     *
     * @throws IllegalArgumentException if one is malformed
     */
    static List<URI> parse(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .map(ListenUrl::one)
                .sorted(Comparator.comparing(URI::toString))
                .toList();
    }

    /**
     * The listen address of a URL.
     *
     * @throws ConfigException if it has a host name instead of an address, or no file name
     */
    static Endpoint endpoint(String flag, URI url) {
        boolean tls = url.getScheme().endsWith("s");
        if (url.getScheme().startsWith("http")) {
            return new Endpoint(bindable(url), tls);
        }
        // As in etcd, unix://localhost:2379 is the file localhost:2379.
        String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
        String file = authority + (url.getPath() == null ? "" : url.getPath());
        if (file.isEmpty()) {
            throw ConfigException.value("--" + flag + " " + url + " has no file name");
        }
        try {
            return new Endpoint(UnixDomainSocketAddress.of(file), tls);
        } catch (InvalidPathException malformed) {
            throw ConfigException.path(flag, malformed);
        }
    }

    /**
     * The listen address of a peer URL.
     *
     * @throws ConfigException if it is a Unix socket, or has a host name instead of an address
     */
    static InetSocketAddress peerAddress(String flag, URI url) {
        if (!url.getScheme().startsWith("http")) {
            throw ConfigException.value("--" + flag + " " + url + ": must be http or https");
        }
        return bindable(url);
    }

    /** True if only processes of this host can connect. */
    static boolean isLoopback(URI url) {
        HostPort at = HostPort.of(url);
        return at != null
                && (at.host().equals(LOCALHOST)
                        || at.host().startsWith("127.")
                        || at.host().equals("[::1]"));
    }

    /** The address of this machine on the route to the internet; null if there is none. */
    static String defaultHost() {
        try (DatagramSocket socket = new DatagramSocket()) {
            // Sends nothing. The address is one of documentation.
            socket.connect(new InetSocketAddress("203.0.113.1", HostPort.PORT_MAX));
            InetAddress own = socket.getLocalAddress();
            return own.isAnyLocalAddress() ? null : own.getHostAddress();
        } catch (SocketException noRoute) {
            return null;
        }
    }

    private static InetSocketAddress bindable(URI url) {
        HostPort at = HostPort.of(url);
        String host = at.host();
        if (!host.equals(LOCALHOST) && !IPV4.matcher(host).matches() && !host.startsWith("[")) {
            throw ConfigException.value("expected IP in URL for binding (" + url + ")");
        }
        if (at.port() > HostPort.PORT_MAX) {
            throw ConfigException.value("port is above " + HostPort.PORT_MAX + " (" + url + ")");
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), at.port());
        } catch (UnknownHostException unknown) {
            throw ConfigException.value("expected IP in URL for binding (" + url + ")");
        }
    }

    private static String withLowerCaseScheme(String text) {
        int end = Math.max(0, text.indexOf(':'));
        return text.substring(0, end).toLowerCase(Locale.ROOT) + text.substring(end);
    }

    private static URI one(String text) {
        try {
            URI url = new URI(withLowerCaseScheme(text));
            String scheme = url.getScheme();
            if (scheme == null || !List.of("http", "https", "unix", "unixs").contains(scheme)) {
                throw new IllegalArgumentException(
                        "URL scheme must be http, https, unix, or unixs: " + text);
            }
            HostPort at = HostPort.of(url);
            if (scheme.startsWith("http") && (at == null || at.port() < 0)) {
                throw new IllegalArgumentException(
                        "URL address does not have the form \"host:port\": " + text);
            }
            String path = url.getRawPath();
            if (scheme.startsWith("http") && path != null && !path.isEmpty()) {
                throw new IllegalArgumentException("URL must not contain a path: " + text);
            }
            return url;
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException("not a URL: " + text, malformed);
        }
    }
}
