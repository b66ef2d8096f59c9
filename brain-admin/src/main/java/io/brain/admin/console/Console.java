package io.brain.admin.console;

import com.google.gson.JsonObject;
import io.brain.backend.runtime.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** All admin endpoints of a server. */
public final class Console implements AutoCloseable {
    private static final Duration AGE_MAX = Duration.ofSeconds(1);
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(30);

    private final RecentHistory history;
    private final Map<String, AdminEndpoint> endpoints = new TreeMap<>();

    /** Creates the endpoints and starts sampling. */
    public Console(MonitoredServer server) {
        Clock clock = server.runtime().clock();
        NodeEndpoints node = new NodeEndpoints(server);
        endpoints.put("status", new Cached(node::status, AGE_MAX, clock));
        endpoints.put("watchers", new Cached(node::watchers, AGE_MAX, clock));
        endpoints.put("leases", new Cached(node::leases, AGE_MAX, clock));
        endpoints.put("compaction", query -> node.compaction());
        endpoints.put("ttl", new TtlEndpoint(server.node().summaries()));

        history = new RecentHistory(server);
        LoadEndpoints load = new LoadEndpoints(history);
        endpoints.put("rates", query -> load.rates());
        endpoints.put("stages", query -> load.stages());

        KeyReader reader = new KeyReader(server.node()::range);
        PrefixesEndpoint prefixes = new PrefixesEndpoint(server, reader);
        endpoints.put("prefixes", new Cached(prefixes::answer, SCAN_INTERVAL, clock));
        if (server.settings().keysShown()) {
            KeyEndpoints keys = new KeyEndpoints(reader, server.runtime().background());
            endpoints.put("keys", keys::keys);
            endpoints.put("value", keys::value);
            endpoints.put("history", keys::history);
        }
        history.start();
    }

    /** The endpoints by name; those that show keys only with {@code --brain-ui-keys}. */
    public Map<String, AdminEndpoint> endpoints() {
        return Map.copyOf(endpoints);
    }

    /** Stops sampling; the endpoints still answer. */
    @Override
    public void close() {
        history.close();
    }

    /** Caches the last answer of a source; at most one call of the source is in progress. */
    static final class Cached implements AdminEndpoint {
        private final Supplier<CompletableFuture<JsonObject>> source;
        private final Clock clock;
        private final long nanosMax;
        private CompletableFuture<JsonObject> last;
        private long calledAt;

        /** Caches answers for {@code ageMax} from the time of the call. */
        Cached(Supplier<CompletableFuture<JsonObject>> source, Duration ageMax, Clock clock) {
            this.source = source;
            this.clock = clock;
            this.nanosMax = ageMax.toNanos();
        }

        @Override
        public synchronized CompletableFuture<JsonObject> answer(Query query) {
            boolean old = last == null || clock.nanos() - calledAt > nanosMax;
            if (last == null || last.isCompletedExceptionally() || (old && last.isDone())) {
                calledAt = clock.nanos();
                last = source.get();
            }
            return last;
        }
    }
}
