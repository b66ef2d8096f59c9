package io.brain.admin.console;

import io.brain.backend.runtime.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** All admin endpoints of a server, by name. */
public final class Console implements AutoCloseable {
    /** Maximum number of rows of a table. */
    private static final int ROWS_MAX = 20;

    private static final Duration AGE_MAX = Duration.ofSeconds(1);
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(30);

    private final RecentHistory history;
    private final Map<String, AdminEndpoint> endpoints = new TreeMap<>();

    /** Creates the endpoints and starts sampling. */
    public Console(MonitoredServer server) {
        Clock clock = server.runtime().clock();
        history = new RecentHistory(server);
        endpoints.put("status", new CachedEndpoint(new StatusEndpoint(server), AGE_MAX, clock));
        endpoints.put("rates", new RatesEndpoint(history));
        endpoints.put("stages", new StagesEndpoint(history));
        endpoints.put(
                "prefixes",
                new CachedEndpoint(new PrefixesEndpoint(server, ROWS_MAX), SCAN_INTERVAL, clock));
        endpoints.put(
                "watchers",
                new CachedEndpoint(
                        new WatchersEndpoint(server.node().insight(), ROWS_MAX), AGE_MAX, clock));
        endpoints.put(
                "leases",
                new CachedEndpoint(
                        new LeasesEndpoint(server.node().insight(), ROWS_MAX), AGE_MAX, clock));
        endpoints.put("compaction", new CompactionEndpoint(server));
        if (server.settings().keysShown()) {
            endpoints.putAll(
                    new KeyEndpoints(server.node()::range, server.runtime().background())
                            .endpoints());
        }
        history.start();
    }

    /** The endpoints; those that show keys only with {@code --brain-ui-keys}. */
    public Map<String, AdminEndpoint> endpoints() {
        return Map.copyOf(endpoints);
    }

    /** Stops sampling; the endpoints still answer. */
    @Override
    public void close() {
        history.close();
    }
}
