package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.admin.console.RecentHistory.Sample;
import io.brain.admin.console.RecentHistory.Window;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;

/** Endpoints for recent rates and durations. */
final class LoadEndpoints {
    private static final double NANOS = 1e9;
    private static final Map<String, String> DESCRIPTIONS =
            Map.of(
                    "queue", "queueing time of a write before the sequencer",
                    "sequence", "evaluation of a round of writes",
                    "commit", "commit of a batch by the engine, until it is durable",
                    "publish", "publishing a batch to watchers and clients",
                    "write", "total time of a write, request to response",
                    "read", "total time of a range, request to response");

    private final RecentHistory history;

    LoadEndpoints(RecentHistory history) {
        this.history = history;
    }

    /** Rates per second: of the last minute, and as a time series. */
    CompletableFuture<JsonObject> rates() {
        Window minute = history.lastMinute();
        Json json =
                new Json()
                        .addRounded("windowSeconds", minute.seconds())
                        .add("stepSeconds", RecentHistory.INTERVAL.toSeconds());
        addRate(json, "revisions", minute, Sample::revision);
        addRate(json, "writes", minute, Sample::writes);
        addRate(json, "reads", minute, Sample::reads);
        addRate(json, "events", minute, Sample::events);
        return CompletableFuture.completedFuture(json.build());
    }

    private void addRate(Json json, String name, Window minute, ToLongFunction<Sample> counter) {
        JsonArray steps = new JsonArray();
        for (Window interval : history.intervals()) {
            steps.add(Json.rounded(interval.rate(counter)));
        }
        json.addRounded(name + "PerSecond", minute.rate(counter)).add(name, steps);
    }

    /** Durations of reads and of the stages of a write in the last minute. */
    CompletableFuture<JsonObject> stages() {
        Window minute = history.lastMinute();
        return CompletableFuture.completedFuture(
                new Json()
                        .addRounded("windowSeconds", minute.seconds())
                        .addRows(
                                "stages",
                                minute.to().durations().keySet(),
                                name -> stage(name, minute))
                        .build());
    }

    private static Json stage(String name, Window minute) {
        Distribution all = minute.to().durations().get(name);
        Distribution recent = all.since(minute.from().durations().get(name));
        return new Json()
                .add("name", name)
                .add("about", DESCRIPTIONS.get(name))
                .addRounded(
                        "perSecond", minute.rate(sample -> sample.durations().get(name).count()))
                .addRounded("meanSeconds", recent.mean() / NANOS)
                .addRounded("p50Seconds", recent.quantile(0.5) / NANOS)
                .addRounded("p99Seconds", recent.quantile(0.99) / NANOS)
                .add("sinceStart", all.count());
    }
}
