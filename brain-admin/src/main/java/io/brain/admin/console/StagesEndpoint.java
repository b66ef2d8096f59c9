package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.admin.console.RecentHistory.Sample;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Latency of reads and of the stages of a write in the last minute. */
final class StagesEndpoint implements AdminEndpoint {
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

    StagesEndpoint(RecentHistory history) {
        this.history = history;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        List<Sample> minute = history.lastMinute();
        Sample before = minute.get(0);
        Sample now = minute.get(1);
        double seconds = now.secondsSince(before);
        JsonObject json = new JsonObject();
        json.addProperty("windowSeconds", Rounded.of(seconds));
        JsonArray stages = new JsonArray();
        now.stages()
                .forEach(
                        (name, sinceStart) -> {
                            Distribution recent = sinceStart.since(before.stages().get(name));
                            stages.add(stage(name, recent, sinceStart.count(), seconds));
                        });
        json.add("stages", stages);
        return CompletableFuture.completedFuture(json);
    }

    private static JsonObject stage(String name, Distribution recent, long all, double seconds) {
        JsonObject stage = new JsonObject();
        stage.addProperty("name", name);
        stage.addProperty("about", DESCRIPTIONS.get(name));
        stage.addProperty("perSecond", seconds <= 0 ? 0 : Rounded.of(recent.count() / seconds));
        stage.addProperty("meanSeconds", Rounded.of(recent.mean() / NANOS));
        stage.addProperty("p50Seconds", Rounded.of(recent.quantile(0.5) / NANOS));
        stage.addProperty("p99Seconds", Rounded.of(recent.quantile(0.99) / NANOS));
        stage.addProperty("sinceStart", all);
        return stage;
    }
}
