package io.brain.server.http;

import io.brain.server.config.Versions;
import io.brain.server.metrics.MetricsPage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Which path is answered by what. */
public final class HttpRoutes {
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final String VERSION =
            "{\"etcdserver\":\""
                    + Versions.API
                    + "\",\"etcdcluster\":\""
                    + Versions.CLUSTER
                    + "\",\"storage\":\""
                    + Versions.CLUSTER
                    + "\"}";

    private final Map<String, Route> routes = new HashMap<>();
    private final boolean crossOrigin;

    private HttpRoutes(HealthEndpoints health, MetricsPage metrics, boolean crossOrigin) {
        this.crossOrigin = crossOrigin;
        routes.put("/metrics", query -> done(HttpAnswer.of(METRICS_TYPE, metrics.render())));
        health.routes().forEach((path, route) -> routes.put(path, getOnly(route)));
    }

    /** What a client listener serves. */
    public static HttpRoutes forClients(HealthEndpoints health, MetricsPage metrics) {
        HttpRoutes all = new HttpRoutes(health, metrics, true);
        HttpAnswer version = HttpAnswer.of("application/json", VERSION);
        all.routes.put("/version", getOnly(query -> done(version)));
        return all;
    }

    /** What a listener for metrics serves. */
    public static HttpRoutes forMetrics(HealthEndpoints health, MetricsPage metrics) {
        return new HttpRoutes(health, metrics, false);
    }

    /** True if pages of other origins may ask, as etcd's client listener allows. */
    boolean crossOrigin() {
        return crossOrigin;
    }

    /**
     * Answers a request.
     *
     * @param path without its query
     * @param parameters values of the query by name
     */
    CompletableFuture<HttpAnswer> answer(
            String method, String path, Map<String, List<String>> parameters) {
        Route route = routes.get(path);
        if (route == null) {
            return done(HttpAnswer.error(HttpAnswer.NOT_FOUND, "404 page not found"));
        }
        return route.answer(new Route.Query(method, parameters));
    }

    private static Route getOnly(Route route) {
        return query ->
                query.method().equals("GET")
                        ? route.answer(query)
                        : done(HttpAnswer.error(HttpAnswer.NOT_ALLOWED, "Method Not Allowed"));
    }

    private static CompletableFuture<HttpAnswer> done(HttpAnswer answer) {
        return CompletableFuture.completedFuture(answer);
    }
}
