package io.brain.server.metrics;

import io.brain.storage.KvStorage;

/** What the storage engine tells of itself, whichever it is. */
public final class StorageMetrics implements MetricsSource {
    private final KvStorage storage;

    /** Metrics of {@code storage}. */
    public StorageMetrics(KvStorage storage) {
        this.storage = storage;
    }

    @Override
    public void writeTo(MetricsText text) {
        storage.stats()
                .forEach(
                        (name, value) ->
                                text.gauge("brain_storage_" + name, "The storage engine's own.")
                                        .value(value));
    }
}
