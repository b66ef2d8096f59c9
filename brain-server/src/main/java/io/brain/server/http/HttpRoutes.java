package io.brain.server.http;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.Versions;
import io.brain.server.metrics.MetricsPage;
import java.util.HashMap;
import java.util.List;
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

    private static final String GATEWAY = "/v3/";
    private static final String ANY = "*";

    /** A certificate names a user to gRPC calls only. */
    private static final HttpAnswer CERTIFICATE_REFUSED =
            HttpAnswer.error(
                    HttpAnswer.BAD,
                    "CommonName of client sending a request against gateway will be ignored"
                            + " and not used as expected");

    private final Map<String, Route> routes = new HashMap<>();

    /** Of pages that may send requests; "*": all. */
    private final List<String> origins;

    /** Null without a gateway. */
    private final Exchange.Factory gateway;

    private HttpRoutes() {
        origins = List.of();
        gateway = null;
    }

    private HttpRoutes(
            HealthEndpoints health,
            MetricsPage metrics,
            List<String> origins,
            Exchange.Factory gateway) {
        this.origins = List.copyOf(origins);
        this.gateway = gateway;
        routes.put("/metrics", request -> done(HttpAnswer.of(METRICS_TYPE, metrics.render())));
        health.routes().forEach((path, route) -> routes.put(path, getOnly(route)));
    }

    /**
     * Routes of a client listener.
     *
     * @param config names the origins of pages that may send requests
     * @param gateway serves paths that begin with /v3/; null: none
     * @param profiles null: not served
     */
    public static HttpRoutes forClients(
            HealthEndpoints health,
            MetricsPage metrics,
            BrainConfig.Http config,
            Exchange.Factory gateway,
            Profiles profiles) {
        HttpRoutes all = new HttpRoutes(health, metrics, config.origins(), gateway);
        all.put("/version", HttpAnswer.of(HttpAnswer.JSON, VERSION));
        all.routes.put("/debug/vars", getOnly(request -> done(DebugVars.answer())));
        if (profiles != null) {
            profiles.routes().forEach((path, route) -> all.routes.put(path, getOnly(route)));
        }
        return all;
    }

    /** Routes of a metrics listener without the console. */
    public static HttpRoutes forMetrics(HealthEndpoints health, MetricsPage metrics) {
        return new HttpRoutes(health, metrics, List.of(), null);
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

    /** True if requests of pages of other origins are allowed, as on etcd's client listener. */
    boolean crossOrigin(Request request) {
        return !origins.isEmpty() && !isRefused(request);
    }

    /** True if the gateway refuses the request's client certificate. */
    private boolean isRefused(Request request) {
        return isForGateway(request.target()) && gateway.refusesCertificate(request);
    }

    private boolean isForGateway(Target target) {
        return gateway != null && target != null && target.path().startsWith(GATEWAY);
    }

    /** The origin that the response allows; null for none. */
    String allowedOrigin(Request request) {
        if (isRefused(request)) {
            return null;
        }
        if (origins.contains(ANY)) {
            return ANY;
        }
        String origin = origins.isEmpty() ? null : request.header("Origin");
        return origins.contains(origin == null ? "" : origin) ? origin : null;
    }

    /** The exchange that serves a request; null: {@link #answer} does. */
    Exchange.Factory exchange(Request request) {
        Target target = request.target();
        boolean served =
                gateway != null
                        && target != null
                        && target.route().startsWith(GATEWAY)
                        && target.moved() == null
                        && !request.method().equals("OPTIONS")
                        && !gateway.refusesCertificate(request);
        return served ? gateway : null;
    }

    /** Answers a request that has a target. */
    CompletableFuture<HttpAnswer> answer(Request request) {
        Target target = request.target();
        if (isRefused(request)) {
            return done(CERTIFICATE_REFUSED);
        }
        if (gateway != null && (target.route() + "/").equals(GATEWAY)) {
            return done(HttpAnswer.moved(request.method(), GATEWAY + target.query()));
        }
        if (target.moved() != null) {
            return done(HttpAnswer.moved(request.method(), target.moved()));
        }
        Route route = routes.get(target.route());
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
