package io.brain.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.runtime.CompactStats;
import io.brain.server.config.BrainConfig;
import io.brain.server.metrics.BackendMetrics;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Compact revision, progress of compaction, and the auto-compaction mode. */
final class CompactionEndpoint implements AdminEndpoint {
    private final Diagnostics diagnostics;
    private final BrainConfig.Retention retention;

    CompactionEndpoint(Diagnostics diagnostics, BrainConfig.Retention retention) {
        this.diagnostics = diagnostics;
        this.retention = retention;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        NodeStatus status = diagnostics.backend().status();
        CompactStats stats = diagnostics.stats().get().compact();
        boolean leads = status.leaderId() != 0 && status.leaderId() == status.memberId();
        long floor = Math.max(0, status.compactRevision());
        JsonObject json = new JsonObject();
        json.addProperty("floor", floor);
        json.addProperty("revision", status.revision());
        json.addProperty("known", leads);
        json.addProperty("finished", leads ? stats.finished() : null);
        json.addProperty("pending", leads ? Math.max(0, floor - stats.finished()) : null);
        json.addProperty("running", leads ? stats.running() : null);
        json.addProperty("automatic", automatic());
        JsonArray last = new JsonArray();
        for (BackendMetrics.Compaction compaction : diagnostics.stages().compactions()) {
            JsonObject row = new JsonObject();
            row.addProperty("revision", compaction.revision());
            row.addProperty("seconds", Rounded.of(compaction.nanos() / 1e9));
            row.addProperty("endedAt", Instant.ofEpochMilli(compaction.endedAtMillis()).toString());
            last.add(row);
        }
        json.add("last", last);
        return CompletableFuture.completedFuture(json);
    }

    private String automatic() {
        if (!retention.period().isZero()) {
            return "keeps " + retention.period().toSeconds() + " s";
        }
        return retention.revisions() > 0 ? "keeps " + retention.revisions() + " revisions" : "off";
    }
}
