package io.brain.server.http;

import io.brain.server.config.BrainConfig.Urls;
import io.netty.util.NetUtil;
import java.net.URI;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a server may be called by who asks it for a page. */
public final class OwnNames {
    private static final String LOCALHOST = "localhost";

    private final Set<String> names;

    /** These names, besides every address and localhost. */
    OwnNames(Collection<String> names) {
        this.names = names.stream().map(OwnNames::plain).collect(Collectors.toUnmodifiableSet());
    }

    /** The names in the URLs that a server tells of itself. */
    public static OwnNames of(Urls urls) {
        return new OwnNames(
                Stream.concat(urls.advertisedClients().stream(), urls.advertisedPeers().stream())
                        .map(URI::getHost)
                        .filter(Objects::nonNull)
                        .toList());
    }

    /**
     * True if a request may call the server so.
     *
     * @param host with or without a port; null, which no browser sends, may be
     */
    boolean include(String host) {
        if (host == null) {
            return true;
        }
        String name = plain(withoutPort(host));
        return NetUtil.isValidIpV4Address(name)
                || (host.startsWith("[") && NetUtil.isValidIpV6Address(name))
                || name.equals(LOCALHOST)
                || names.contains(name);
    }

    private static String withoutPort(String host) {
        int end = host.startsWith("[") ? host.indexOf(']') : host.lastIndexOf(':');
        if (end < 0) {
            return host;
        }
        return host.startsWith("[") ? host.substring(1, end) : host.substring(0, end);
    }

    /** Names are the same in capitals, and with the dot of the root behind them. */
    private static String plain(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
