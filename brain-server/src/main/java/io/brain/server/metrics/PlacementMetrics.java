package io.brain.server.metrics;

import io.brain.storage.placed.PlacedStorage;
import io.brain.storage.placed.Placement.State;

/** Metrics of placed stores and of the prefix that moves. */
final class PlacementMetrics {
    private PlacementMetrics() {}

    static void write(PlacedStorage storage, MetricsText text) {
        storage.storeStats()
                .forEach(
                        (store, stats) ->
                                stats.forEach(
                                        (name, value) ->
                                                text.gauge(
                                                                "brain_placed_store_statistic",
                                                                "Statistic of a placed store's"
                                                                        + " engine.")
                                                        .value(
                                                                value,
                                                                "store",
                                                                store,
                                                                "statistic",
                                                                name)));
        long prefixes = 0;
        long moving = 0;
        long keys = 0;
        long bytes = 0;
        long stalled = 0;
        for (PlacedStorage.Status one : storage.placements()) {
            prefixes++;
            if (one.placement().state() != State.PLACED) {
                moving += one.placement().state() == State.MOVING ? 1 : 0;
                keys = one.keys();
                bytes = one.bytes();
                stalled = one.trouble() == null ? 0 : 1;
            }
        }
        text.gauge("brain_placement_prefixes", "Placed prefixes.").value(prefixes);
        text.gauge("brain_placement_moving", "1 while a prefix is copied.").value(moving);
        text.gauge("brain_placement_step_keys", "Keys copied, or cleared, of the current move.")
                .value(keys);
        text.gauge("brain_placement_step_bytes", "Bytes copied, or cleared, of the current move.")
                .value(bytes);
        text.gauge("brain_placement_stalled", "1 while a move does not go on, see the log.")
                .value(stalled);
    }
}
