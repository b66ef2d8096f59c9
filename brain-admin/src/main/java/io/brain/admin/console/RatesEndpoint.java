package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.admin.console.RecentHistory.Sample;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;

/** Rates per second: of the last minute, and as a time series. */
final class RatesEndpoint implements AdminEndpoint {
    private final RecentHistory history;

    RatesEndpoint(RecentHistory history) {
        this.history = history;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        JsonObject rates = new JsonObject();
        List<Sample> all = history.all();
        List<Sample> minute = history.lastMinute();
        rates.addProperty("windowSeconds", Rounded.of(minute.get(1).secondsSince(minute.get(0))));
        rates.addProperty("stepSeconds", RecentHistory.INTERVAL.toSeconds());
        add(rates, "revisions", Sample::revision, minute, all);
        add(rates, "writes", Sample::writes, minute, all);
        add(rates, "reads", Sample::reads, minute, all);
        add(rates, "events", Sample::events, minute, all);
        return CompletableFuture.completedFuture(rates);
    }

    private static void add(
            JsonObject rates,
            String name,
            ToLongFunction<Sample> count,
            List<Sample> minute,
            List<Sample> all) {
        rates.addProperty(name + "PerSecond", rate(count, minute.get(0), minute.get(1)));
        JsonArray steps = new JsonArray();
        // The last sample is taken now, possibly right after the one before it.
        for (int i = 1; i < all.size() - 1; i++) {
            steps.add(rate(count, all.get(i - 1), all.get(i)));
        }
        rates.add(name, steps);
    }

    private static double rate(ToLongFunction<Sample> count, Sample from, Sample to) {
        double seconds = to.secondsSince(from);
        long more = count.applyAsLong(to) - count.applyAsLong(from);
        return seconds <= 0 ? 0 : Rounded.of(Math.max(0, more) / seconds);
    }
}
