package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Insight;
import io.brain.backend.runtime.LeaseCensus;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Number of leases and the next to expire; known on the leader only. */
final class LeasesEndpoint implements AdminEndpoint {
    private final Insight insight;
    private final int rowsMax;

    LeasesEndpoint(Insight insight, int rowsMax) {
        this.insight = insight;
        this.rowsMax = rowsMax;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        return insight.leases().thenApply(this::json);
    }

    private JsonObject json(Optional<LeaseCensus> summary) {
        JsonObject json = new JsonObject();
        json.addProperty("known", summary.isPresent());
        json.addProperty("count", summary.map(LeaseCensus::count).orElse(null));
        JsonArray next = new JsonArray();
        summary.stream()
                .flatMap(known -> known.next().stream())
                .limit(rowsMax)
                .forEach(
                        lease -> {
                            JsonObject row = new JsonObject();
                            row.addProperty("id", StatusEndpoint.hex(lease.id()));
                            row.addProperty("ttlSeconds", lease.ttl());
                            row.addProperty("remainingSeconds", lease.remaining());
                            next.add(row);
                        });
        json.add("next", next);
        return json;
    }
}
