package io.brain.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.server.console.RecentHistory.Sample;
import io.brain.server.metrics.Distribution;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** How long the stages of a write, and reads, took during the last minute. */
final class StagesFact implements Fact {
    private static final double NANOS = 1e9;
    private static final Map<String, String> ABOUT =
            Map.of(
                    "queue", "a write, from its coming until the sequencer takes it",
                    "sequence", "a round of the sequencer: the writes of a batch are evaluated",
                    "commit", "a batch, until the engine has it durably",
                    "publish", "a batch, until watchers and clients are told",
                    "write", "a write, from its coming to the answer",
                    "read", "a range, from its coming to the answer");

    private final RecentHistory history;

    StagesFact(RecentHistory history) {
        this.history = history;
    }

    @Override
    public CompletableFuture<JsonObject> ask(Question question) {
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
        stage.addProperty("about", ABOUT.get(name));
        stage.addProperty("perSecond", seconds <= 0 ? 0 : Rounded.of(recent.count() / seconds));
        stage.addProperty("meanSeconds", Rounded.of(recent.mean() / NANOS));
        stage.addProperty("p50Seconds", Rounded.of(recent.quantile(0.5) / NANOS));
        stage.addProperty("p99Seconds", Rounded.of(recent.quantile(0.99) / NANOS));
        stage.addProperty("sinceStart", all);
        return stage;
    }
}
