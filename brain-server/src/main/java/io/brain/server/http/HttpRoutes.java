package io.brain.server.http;

import io.brain.server.config.Versions;
import io.brain.server.metrics.MetricsPage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Routes of a listener, by path. */
public final class HttpRoutes {
    private static final String METRICS_TYPE =
            "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
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

    private HttpRoutes() {
        crossOrigin = false;
    }

    private HttpRoutes(HealthEndpoints health, MetricsPage metrics, boolean crossOrigin) {
        this.crossOrigin = crossOrigin;
        routes.put("/metrics", request -> done(HttpAnswer.of(METRICS_TYPE, metrics.render())));
        health.routes().forEach((path, route) -> routes.put(path, getOnly(route)));
    }

    /** Routes of a client listener. */
    public static HttpRoutes forClients(HealthEndpoints health, MetricsPage metrics) {
        HttpRoutes all = new HttpRoutes(health, metrics, true);
        all.put("/version", HttpAnswer.of(HttpAnswer.JSON, VERSION));
        return all;
    }

    /** Routes of a metrics listener without the console. */
    public static HttpRoutes forMetrics(HealthEndpoints health, MetricsPage metrics) {
        return new HttpRoutes(health, metrics, false);
    }

    /** Routes of a metrics listener. */
    public static HttpRoutes forMetrics(
            HealthEndpoints health, MetricsPage metrics, ConsoleEndpoints console) {
        HttpRoutes all = forMetrics(health, metrics);
        console.routes().forEach((path, route) -> all.routes.put(path, getOnly(route)));
        return all;
    }

    /**
     * Routes of a metrics listener until the store and a leader are available: live but not ready,
     * as an etcd that waits for its peers.
     */
    public static HttpRoutes whileStarting() {
        HttpRoutes all = new HttpRoutes();
        String noLeader = "{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}";
        all.put("/livez", HttpAnswer.text("ok\n"));
        all.put(
                "/readyz",
                HttpAnswer.error(
                        HttpAnswer.UNAVAILABLE,
                        "[-]linearizable_read failed: the server is starting"));
        all.put("/health", HttpAnswer.error(HttpAnswer.UNAVAILABLE, noLeader));
        return all;
    }

    private void put(String path, HttpAnswer fixed) {
        routes.put(path, getOnly(request -> done(fixed)));
    }

    /** True if cross-origin requests are allowed, as on etcd's client listener. */
    boolean crossOrigin() {
        return crossOrigin;
    }

    /** Answers a request that has a target. */
    CompletableFuture<HttpAnswer> answer(Request request) {
        Target target = request.target();
        if (target.moved() != null) {
            return done(HttpAnswer.moved(request.method(), target.moved()));
        }
        Route route = routes.get(target.path());
        return route == null ? done(HttpAnswer.NO_PAGE) : route.answer(request);
    }

    private static Route getOnly(Route route) {
        return request ->
                request.method().equals("GET") ? route.answer(request) : done(HttpAnswer.GET_ONLY);
    }

    private static CompletableFuture<HttpAnswer> done(HttpAnswer answer) {
        return CompletableFuture.completedFuture(answer);
    }
}
