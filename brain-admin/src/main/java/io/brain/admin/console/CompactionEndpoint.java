package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Backend;
import io.brain.backend.runtime.CompactStats;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Compact revision, progress of compaction, and the auto-compaction mode. */
final class CompactionEndpoint implements AdminEndpoint {
    private final MonitoredServer server;

    CompactionEndpoint(MonitoredServer server) {
        this.server = server;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        Backend.Status status = server.node().status();
        CompactStats stats = server.node().stats().compact();
        boolean leads = status.leaderId() != 0 && status.leaderId() == status.memberId();
        long floor = Math.max(0, status.compactRevision());
        JsonObject json = new JsonObject();
        json.addProperty("floor", floor);
        json.addProperty("revision", status.revision());
        json.addProperty("known", leads);
        json.addProperty("finished", leads ? stats.finished() : null);
        json.addProperty("pending", leads ? Math.max(0, floor - stats.finished()) : null);
        json.addProperty("running", leads ? stats.running() : null);
        json.addProperty("automatic", server.settings().autoCompaction());
        JsonArray last = new JsonArray();
        for (MonitoredServer.Compaction compaction : server.compactions().get()) {
            JsonObject row = new JsonObject();
            row.addProperty("revision", compaction.revision());
            row.addProperty("seconds", Rounded.of(compaction.nanos() / 1e9));
            row.addProperty("endedAt", Instant.ofEpochMilli(compaction.endedAtMillis()).toString());
            last.add(row);
        }
        json.add("last", last);
        return CompletableFuture.completedFuture(json);
    }
}
