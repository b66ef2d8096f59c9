package io.brain.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Insight;
import io.brain.backend.watch.WatchCensus;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Who watches what, and who is slow. */
final class WatchersFact implements Fact {
    private final Insight insight;
    private final int listed;

    WatchersFact(Insight insight, int listed) {
        this.insight = insight;
        this.listed = listed;
    }

    @Override
    public CompletableFuture<JsonObject> ask(Question question) {
        return insight.watchers().thenApply(this::json);
    }

    private JsonObject json(WatchCensus census) {
        JsonObject json = new JsonObject();
        json.addProperty("streams", census.streams());
        json.addProperty("watchers", census.watchers());
        json.addProperty("behind", census.behind());
        JsonArray spans = new JsonArray();
        census.spans().stream()
                .limit(listed)
                .forEach(
                        span -> {
                            JsonObject row = new JsonObject();
                            row.addProperty("keys", KeyText.of(span.keys()));
                            row.addProperty("watchers", span.watchers());
                            spans.add(row);
                        });
        json.add("spans", spans);
        JsonArray slow = new JsonArray();
        census.slowest().stream().limit(listed).forEach(s -> slow.add(slow(s, census)));
        json.add("slow", slow);
        return json;
    }

    private static JsonObject slow(WatchCensus.Slow slow, WatchCensus census) {
        JsonObject row = new JsonObject();
        row.addProperty("keys", KeyText.of(slow.keys()));
        row.addProperty("watchId", slow.watchId());
        row.addProperty("nextRevision", slow.next());
        row.addProperty("behind", Math.max(0, census.committed() - slow.next() + 1));
        row.addProperty("waitsFor", slow.waitsFor().name().toLowerCase(Locale.ROOT));
        return row;
    }
}
