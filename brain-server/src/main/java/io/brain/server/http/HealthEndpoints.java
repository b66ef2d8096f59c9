package io.brain.server.http;

import io.brain.backend.Backend;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.NodeStatus;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves /health, /livez and /readyz with etcd's checks and bodies. */
public final class HealthEndpoints implements MetricsSource {
    private static final Logger LOG = LoggerFactory.getLogger(HealthEndpoints.class);
    private static final String HEALTHY = "{\"health\":\"true\",\"reason\":\"\"}";

    private final Backend backend;
    private final HealthReads reads;
    private final Function<Throwable, String> describe;
    private final CheckList live;
    private final CheckList ready;
    private final LongAdder healthy = new LongAdder();
    private final LongAdder unhealthy = new LongAdder();

    /**
     * Creates the endpoints.
     *
     * @param reads health reads of the same backend
     * @param describe message of a failure
     */
    public HealthEndpoints(
            Backend backend, HealthReads reads, Function<Throwable, String> describe) {
        this.backend = backend;
        this.reads = reads;
        this.describe = describe;
        Map<String, Supplier<CompletableFuture<?>>> readyChecks = new LinkedHashMap<>();
        readyChecks.put("data_corruption", this::noCorruption);
        readyChecks.put("serializable_read", reads::local);
        readyChecks.put("linearizable_read", reads::linearizable);
        readyChecks.put("non_learner", () -> CompletableFuture.completedFuture(null));
        this.ready = new CheckList("readyz", readyChecks, describe);
        this.live = new CheckList("livez", Map.of("serializable_read", reads::alive), describe);
    }

    /** Routes by path. */
    Map<String, Route> routes() {
        Map<String, Route> routes = new HashMap<>();
        routes.put("/health", this::health);
        routes.putAll(live.routes());
        routes.putAll(ready.routes());
        return routes;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter("etcd_server_health_success", "The total number of successful health checks.")
                .value(healthy.sum());
        text.counter("etcd_server_health_failures", "The total number of failed health checks.")
                .value(unhealthy.sum());
        text.gauge("etcd_server_healthcheck", "The result of each kind of healthcheck.");
        live.writeResults(text);
        ready.writeResults(text);
        text.counter("etcd_server_healthchecks_total", "The number of each kind of healthcheck.");
        live.writeTotals(text);
        ready.writeTotals(text);
    }

    private CompletableFuture<HttpAnswer> health(Request request) {
        boolean local = request.is("serializable", "true");
        Set<String> excluded = request.all("exclude");
        NodeStatus status = backend.status();
        for (Alarm alarm : status.alarms()) {
            if (!excluded.contains(alarm.kindName())) {
                String kind = alarm.isKnown() ? alarm.kindName() : "UNKNOWN";
                return CompletableFuture.completedFuture(unhealthy("ALARM " + kind));
            }
        }
        if (!local && status.leaderId() == 0) {
            return CompletableFuture.completedFuture(unhealthy("RAFT NO LEADER"));
        }
        CompletableFuture<Void> read = local ? reads.local() : reads.linearizable();
        return read.handle(
                (done, failure) ->
                        failure == null
                                ? healthy()
                                : unhealthy("RANGE ERROR:" + CheckList.reason(failure, describe)));
    }

    private HttpAnswer healthy() {
        healthy.increment();
        return HttpAnswer.of(HttpAnswer.TEXT, HEALTHY);
    }

    private HttpAnswer unhealthy(String reason) {
        unhealthy.increment();
        LOG.warn("serving /health false: {}", reason);
        String quoted = reason.replace("\\", "\\\\").replace("\"", "\\\"");
        return HttpAnswer.error(
                HttpAnswer.UNAVAILABLE, "{\"health\":\"false\",\"reason\":\"" + quoted + "\"}");
    }

    private CompletableFuture<?> noCorruption() {
        return backend.status().alarms().stream().anyMatch(alarm -> alarm.kind() == Alarm.CORRUPT)
                ? CompletableFuture.failedFuture(
                        new CheckList.FailedCheck("alarm activated: CORRUPT"))
                : CompletableFuture.completedFuture(null);
    }
}
