package io.brain.server.http;

import io.brain.server.config.Versions;
import io.brain.server.metrics.MetricsPage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Which path is answered by what. */
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
        routes.put("/metrics", query -> done(HttpAnswer.of(METRICS_TYPE, metrics.render())));
        health.routes().forEach((path, route) -> routes.put(path, getOnly(route)));
    }

    /** What a client listener serves. */
    public static HttpRoutes forClients(HealthEndpoints health, MetricsPage metrics) {
        HttpRoutes all = new HttpRoutes(health, metrics, true);
        all.put("/version", HttpAnswer.of("application/json", VERSION));
        return all;
    }

    /** What a listener for metrics serves. */
    public static HttpRoutes forMetrics(HealthEndpoints health, MetricsPage metrics) {
        return new HttpRoutes(health, metrics, false);
    }

    /** What a listener for metrics serves that has the console, too. */
    public static HttpRoutes forMetrics(
            HealthEndpoints health, MetricsPage metrics, ConsoleEndpoints console) {
        HttpRoutes all = forMetrics(health, metrics);
        console.routes().forEach((path, route) -> all.routes.put(path, getOnly(route)));
        return all;
    }

    /**
     * What a listener for metrics serves until the server has found its store and a leader: it is
     * alive and not ready, as an etcd that waits for its peers.
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

    private void put(String path, HttpAnswer always) {
        routes.put(path, getOnly(query -> done(always)));
    }

    /** True if pages of other origins may ask, as etcd's client listener allows. */
    boolean crossOrigin() {
        return crossOrigin;
    }

    /** Answers a request. */
    CompletableFuture<HttpAnswer> answer(String method, Target target, Route.Asker asker) {
        if (target.moved() != null) {
            return done(HttpAnswer.moved(method, target.moved()));
        }
        Route route = routes.get(target.path());
        return route == null
                ? done(HttpAnswer.NOWHERE)
                : route.answer(new Route.Query(method, target.parameters(), asker));
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
