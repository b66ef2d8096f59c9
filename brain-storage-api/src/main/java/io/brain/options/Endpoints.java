package io.brain.options;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Client URLs of the servers of one cluster.
 *
 * @param urls with host and port; all http, or all https; not empty
 */
public record Endpoints(List<URI> urls) {
    /** Copies the list. */
    public Endpoints {
        urls = List.copyOf(urls);
    }

    /**
     * Reads URLs that are separated by commas; one without a scheme is http.
     *
     * @throws IllegalArgumentException if it is not that
     */
    public static Endpoints parse(String text) {
        List<URI> urls = Arrays.stream(text.split(",", -1)).map(Endpoints::url).toList();
        if (urls.stream().map(URI::getScheme).distinct().count() > 1) {
            throw new IllegalArgumentException("http and https URLs together: " + text);
        }
        return new Endpoints(urls);
    }

    private static URI url(String text) {
        URI url = URI.create(text.contains("://") ? text : "http://" + text);
        boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        HostPort at = HostPort.of(url);
        if (!http || at == null || at.port() <= 0 || at.port() > HostPort.PORT_MAX) {
            throw new IllegalArgumentException("not an http or https URL with a port: " + text);
        }
        return url;
    }

    /** True if TLS is used. */
    public boolean isSecure() {
        return urls.get(0).getScheme().equals("https");
    }

    /** The URLs, separated by commas. */
    @Override
    public String toString() {
        return urls.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
