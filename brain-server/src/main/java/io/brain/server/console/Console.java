package io.brain.server.console;

import io.brain.backend.runtime.Clock;
import io.brain.server.config.BrainConfig;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** All facts of a server, by name. */
public final class Console implements AutoCloseable {
    /** Most rows of a table. */
    private static final int LISTED = 20;

    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Duration WALKS_APART = Duration.ofSeconds(30);

    private final RecentHistory history;
    private final Map<String, Fact> facts = new TreeMap<>();

    /**
     * Facts of a server that starts now.
     *
     * @param config as it was started
     */
    public Console(Sources sources, BrainConfig config) {
        Clock clock = sources.runtime().clock();
        history = new RecentHistory(sources);
        facts.put("status", new Cached(new StatusFact(sources, config), FRESH, clock));
        facts.put("rates", new RatesFact(history));
        facts.put("stages", new StagesFact(history));
        facts.put("prefixes", new Cached(new PrefixesFact(sources, LISTED), WALKS_APART, clock));
        facts.put(
                "watchers", new Cached(new WatchersFact(sources.insight(), LISTED), FRESH, clock));
        facts.put("leases", new Cached(new LeasesFact(sources.insight(), LISTED), FRESH, clock));
        facts.put("compaction", new CompactionFact(sources, config.upkeep().history()));
        if (config.urls().keysShown()) {
            facts.putAll(new KeyFacts(sources.backend(), sources.runtime().background()).facts());
        }
        history.start();
    }

    /** The facts; those of keys only if they are to be shown. */
    public Map<String, Fact> facts() {
        return Map.copyOf(facts);
    }

    /** Stops looking; facts can still be asked for. */
    @Override
    public void close() {
        history.close();
    }
}
