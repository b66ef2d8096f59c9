package io.brain.server.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Target of a request line, parsed as in Go's servers.
 *
 * @param path decoded
 * @param route the clean path, decoded except for escaped slashes, which do not end a segment
 * @param moved redirect target with the query if the path is not clean; else null
 * @param query with its question mark; empty if nothing follows that
 * @param parameters query values by name; malformed ones are skipped
 */
public record Target(
        String path,
        String route,
        String moved,
        String query,
        Map<String, List<String>> parameters) {
    private static final String OLD_GATEWAY = "/v3beta/";
    private static final Pattern SLASH = Pattern.compile("%2f", Pattern.CASE_INSENSITIVE);
    private static final Pattern ORIGIN = Pattern.compile("^[A-Za-z][A-Za-z0-9+.-]*://[^/?]*");

    /**
     * Parses a target.
     *
     * @param uri from the request line: a path or an absolute URI
     * @throws IllegalArgumentException if it is neither, or has an invalid escape
     */
    static Target parse(String uri) {
        String local = ORIGIN.matcher(uri).replaceFirst("");
        boolean absolute = local.length() < uri.length();
        int mark = local.indexOf('?');
        String path = mark < 0 ? local : local.substring(0, mark);
        if (!absolute && !path.startsWith("/")) {
            throw new IllegalArgumentException("neither a path nor a URI: " + uri);
        }
        if (path.startsWith(OLD_GATEWAY)) {
            path = "/v3/" + path.substring(OLD_GATEWAY.length());
        }
        String clean = clean(path);
        boolean asked = mark >= 0 && mark < local.length() - 1;
        String query = asked ? local.substring(mark) : "";
        String moved = clean.equals(path) ? null : clean + query;
        String route = unescapePath(SLASH.matcher(clean).replaceAll("%252F"));
        return new Target(
                unescapePath(path),
                route,
                moved,
                query,
                parameters(query.isEmpty() ? "" : query.substring(1)));
    }

    /** In a path, a plus sign is itself. */
    private static String unescapePath(String path) {
        return unescape(path.replace("+", "%2B"));
    }

    /** Removes empty and dot segments; keeps a trailing slash. */
    private static String clean(String path) {
        Deque<String> names = new ArrayDeque<>();
        for (String name : path.split("/", -1)) {
            if (name.equals("..")) {
                names.pollLast();
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.addLast(name);
            }
        }
        String clean = "/" + String.join("/", names);
        return path.endsWith("/") && clean.length() > 1 ? clean + "/" : clean;
    }

    private static Map<String, List<String>> parameters(String query) {
        Map<String, List<String>> parameters = new HashMap<>();
        for (String pair : query.split("&", -1)) {
            if (!pair.isEmpty() && !pair.contains(";")) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                add(name, value, parameters);
            }
        }
        return parameters;
    }

    private static void add(String name, String value, Map<String, List<String>> parameters) {
        String unescaped;
        try {
            unescaped = unescape(value);
            name = unescape(name);
        } catch (IllegalArgumentException broken) {
            return; // skipped, as in Go's servers
        }
        parameters.computeIfAbsent(name, key -> new ArrayList<>()).add(unescaped);
    }

    private static String unescape(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
