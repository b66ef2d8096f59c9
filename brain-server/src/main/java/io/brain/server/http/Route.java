package io.brain.server.http;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Answers requests for one path; must not block. */
@FunctionalInterface
interface Route {
    /** The answer; if the future fails, that of a failure is sent. */
    CompletableFuture<HttpAnswer> answer(Query query);

    /**
     * What a request asks for besides its path.
     *
     * @param parameters values by name
     * @param asker how the request came
     */
    record Query(String method, Map<String, List<String>> parameters, Asker asker) {
        boolean has(String name) {
            return parameters.containsKey(name);
        }

        /** True if the first value of {@code name} is {@code value}. */
        boolean is(String name, String value) {
            return has(name) && parameters.get(name).get(0).equals(value);
        }

        /** All values of {@code name} but empty ones. */
        Set<String> all(String name) {
            Set<String> values = new TreeSet<>(parameters.getOrDefault(name, List.of()));
            values.remove("");
            return values;
        }
    }

    /**
     * How a request came.
     *
     * @param host what the client calls the server; null if it does not say
     * @param secure whether over TLS, so that the client knows that this is its name
     */
    record Asker(String host, boolean secure) {}
}
