package io.brain.server.http;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Answers requests for one path; must not block. */
@FunctionalInterface
interface Route {
    /** Answers a request; a failed future becomes status 500. */
    CompletableFuture<HttpAnswer> answer(Query query);

    /**
     * Method, parameters and client of a request.
     *
     * @param parameters values by name
     * @param client sender of the request
     */
    record Query(String method, Map<String, List<String>> parameters, Client client) {
        boolean has(String name) {
            return parameters.containsKey(name);
        }

        /** True if the first value of {@code name} is {@code value}. */
        boolean is(String name, String value) {
            return has(name) && parameters.get(name).get(0).equals(value);
        }

        /** All non-empty values of {@code name}. */
        Set<String> all(String name) {
            Set<String> values = new TreeSet<>(parameters.getOrDefault(name, List.of()));
            values.remove("");
            return values;
        }
    }

    /**
     * Sender of a request.
     *
     * @param host value of the Host header; null if absent
     * @param secure whether over TLS, so that the client has verified the host
     */
    record Client(String host, boolean secure) {}
}
