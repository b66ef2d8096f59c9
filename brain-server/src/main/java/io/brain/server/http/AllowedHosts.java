package io.brain.server.http;

import io.brain.options.HostPort;
import io.brain.server.config.BrainConfig.Urls;
import io.netty.util.NetUtil;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Host names by which clients may address a server. */
public final class AllowedHosts {
    private static final String LOCALHOST = "localhost";

    private final Set<String> names;

    /** Allows these names, all IP addresses and localhost. */
    AllowedHosts(Collection<String> names) {
        this.names =
                names.stream()
                        .map(AllowedHosts::normalized)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Allows the host names in the advertised URLs. */
    public static AllowedHosts of(Urls urls) {
        return new AllowedHosts(
                Stream.concat(urls.advertisedClients().stream(), urls.advertisedPeers().stream())
                        .map(HostPort::of)
                        .filter(Objects::nonNull)
                        .map(HostPort::host)
                        .toList());
    }

    /**
     * True if the host of a request is allowed.
     *
     * @param host with or without a port; null, which browsers never send, is allowed
     */
    boolean include(String host) {
        if (host == null) {
            return true;
        }
        String name = normalized(withoutPort(host));
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

    /** Lower case, without a trailing dot. */
    private static String normalized(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
