package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Insight;
import io.brain.backend.watch.WatchCensus;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Number of watchers, most watched keys, and slow watchers. */
final class WatchersEndpoint implements AdminEndpoint {
    private final Insight insight;
    private final int rowsMax;

    WatchersEndpoint(Insight insight, int rowsMax) {
        this.insight = insight;
        this.rowsMax = rowsMax;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        return insight.watchers().thenApply(this::json);
    }

    private JsonObject json(WatchCensus summary) {
        JsonObject json = new JsonObject();
        json.addProperty("streams", summary.streams());
        json.addProperty("watchers", summary.watchers());
        json.addProperty("behind", summary.behind());
        JsonArray spans = new JsonArray();
        summary.spans().stream()
                .limit(rowsMax)
                .forEach(
                        span -> {
                            JsonObject row = new JsonObject();
                            row.addProperty("keys", KeyText.of(span.keys()));
                            row.addProperty("watchers", span.watchers());
                            spans.add(row);
                        });
        json.add("spans", spans);
        JsonArray slow = new JsonArray();
        summary.slowest().stream().limit(rowsMax).forEach(s -> slow.add(slow(s, summary)));
        json.add("slow", slow);
        return json;
    }

    private static JsonObject slow(WatchCensus.Slow slow, WatchCensus summary) {
        JsonObject row = new JsonObject();
        row.addProperty("keys", KeyText.of(slow.keys()));
        row.addProperty("watchId", slow.watchId());
        row.addProperty("nextRevision", slow.next());
        row.addProperty("behind", Math.max(0, summary.committed() - slow.next() + 1));
        row.addProperty("waitsFor", slow.waitsFor().name().toLowerCase(Locale.ROOT));
        return row;
    }
}
