package io.brain.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Insight;
import io.brain.backend.runtime.LeaseCensus;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The leases, which only the leader knows. */
final class LeasesFact implements Fact {
    private final Insight insight;
    private final int listed;

    LeasesFact(Insight insight, int listed) {
        this.insight = insight;
        this.listed = listed;
    }

    @Override
    public CompletableFuture<JsonObject> ask(Question question) {
        return insight.leases().thenApply(this::json);
    }

    private JsonObject json(Optional<LeaseCensus> census) {
        JsonObject json = new JsonObject();
        json.addProperty("known", census.isPresent());
        json.addProperty("count", census.map(LeaseCensus::count).orElse(null));
        JsonArray next = new JsonArray();
        census.stream()
                .flatMap(known -> known.next().stream())
                .limit(listed)
                .forEach(
                        lease -> {
                            JsonObject row = new JsonObject();
                            row.addProperty("id", StatusFact.hex(lease.id()));
                            row.addProperty("ttlSeconds", lease.ttl());
                            row.addProperty("remainingSeconds", lease.remaining());
                            next.add(row);
                        });
        json.add("next", next);
        return json;
    }
}
