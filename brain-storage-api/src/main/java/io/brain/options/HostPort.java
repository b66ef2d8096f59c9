package io.brain.options;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Host and port of a URL, also with a host name that {@link URI#getHost} does not accept, such as
 * {@code etcd_1}.
 *
 * @param host a name or an address; an IPv6 address is in brackets
 * @param port -1 if the URL has none; may be above {@link #PORT_MAX}
 */
public record HostPort(String host, int port) {
    public static final int PORT_MAX = 65535;

    private static final Pattern AUTHORITY = Pattern.compile("([^:@%\\[\\]]+)(?::(\\d{1,9}))?");

    /** Host and port of a URL; null if it has no host. */
    public static HostPort of(URI url) {
        if (url.getHost() != null) {
            return new HostPort(url.getHost(), url.getPort());
        }
        String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
        Matcher parts = AUTHORITY.matcher(authority);
        if (!parts.matches()) {
            return null;
        }
        return new HostPort(
                parts.group(1), parts.group(2) == null ? -1 : Integer.parseInt(parts.group(2)));
    }
}
