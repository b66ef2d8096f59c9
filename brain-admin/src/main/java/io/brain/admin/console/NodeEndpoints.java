package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.Member;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.read.ReadStats;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.watch.WatcherSummary;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Endpoints for the state of the node: status, watchers, leases and compaction. */
final class NodeEndpoints {
    private final MonitoredServer server;
    private final long startedAt;

    /** Creates the endpoints; uptime counts from now. */
    NodeEndpoints(MonitoredServer server) {
        this.server = server;
        this.startedAt = server.runtime().clock().nanos();
    }

    /** Identity of the server, leader, members, revision and alarms. */
    CompletableFuture<JsonObject> status() {
        // The member list is in the store: without the store the answer contains the rest.
        return server.node()
                .cluster()
                .members()
                .handle((members, failure) -> status(failure == null ? members : List.of()));
    }

    private JsonObject status(List<Member> members) {
        NodeStatus now = server.node().status();
        MonitoredServer.Settings settings = server.settings();
        JsonArray alarms = new JsonArray();
        for (Alarm alarm : now.alarms()) {
            alarms.add(alarm.kindName() + " on " + hex(alarm.memberId()));
        }
        JsonArray heldBack = new JsonArray();
        for (ReadStats.Waiting tenant : server.node().stats().read().waitingMost()) {
            heldBack.add(tenant.name() + ": " + tenant.reads());
        }
        JsonArray list = new JsonArray();
        members.forEach(member -> list.add(member(member, now)));
        return new Json()
                .add("name", settings.name())
                .add("version", settings.version())
                .add("api", settings.api())
                .add(
                        "uptimeSeconds",
                        (server.runtime().clock().nanos() - startedAt) / 1_000_000_000)
                .add("cluster", hex(now.clusterId()))
                .add("member", hex(now.memberId()))
                .add("leader", now.leaderId() == 0 ? null : hex(now.leaderId()))
                .add("leads", leads(now))
                .add("epoch", now.epoch())
                .add("revision", now.revision())
                .add("compactRevision", Math.max(0, now.compactRevision()))
                .add("storage", settings.engine())
                .add("keyspace", settings.keyspace())
                .add("storedBytes", now.storedBytes())
                .add("quotaBytes", now.quotaBytes())
                .add("alarms", alarms)
                .add("heldBack", heldBack)
                .add("members", list)
                .add("keysShown", settings.keysShown())
                .build();
    }

    private static JsonObject member(Member member, NodeStatus now) {
        return new Json()
                .add("id", hex(member.id()))
                .add("name", member.name())
                .add("leads", member.id() == now.leaderId())
                .add("here", member.id() == now.memberId())
                .add("clientUrls", array(member.clientUrls()))
                .add("peerUrls", array(member.peerUrls()))
                .build();
    }

    /** Number of watchers, most watched keys, and slow watchers. */
    CompletableFuture<JsonObject> watchers() {
        return server.node().summaries().watchers().thenApply(NodeEndpoints::watchers);
    }

    private static JsonObject watchers(WatcherSummary summary) {
        return new Json()
                .add("streams", summary.streams())
                .add("watchers", summary.watchers())
                .add("behind", summary.unsynced())
                .addRows(
                        "spans",
                        summary.spans(),
                        span ->
                                new Json()
                                        .add("keys", KeyText.of(span.keys()))
                                        .add("watchers", span.watchers()))
                .addRows("slow", summary.slowest(), slow -> slow(slow, summary.committed()))
                .build();
    }

    private static Json slow(WatcherSummary.Slow slow, long committed) {
        return new Json()
                .add("keys", KeyText.of(slow.keys()))
                .add("watchId", slow.watchId())
                .add("nextRevision", slow.next())
                .add("behind", Math.max(0, committed - slow.next() + 1))
                .add("waitsFor", slow.waitsFor().name().toLowerCase(Locale.ROOT));
    }

    /** Number of leases and the next to expire; known on the leader only. */
    CompletableFuture<JsonObject> leases() {
        return server.node().summaries().leases().thenApply(NodeEndpoints::leases);
    }

    private static JsonObject leases(Optional<LeaseSummary> summary) {
        return new Json()
                .add("known", summary.isPresent())
                .add("count", summary.map(LeaseSummary::count).orElse(null))
                .addRows(
                        "next",
                        summary.map(LeaseSummary::next).orElse(List.of()),
                        lease ->
                                new Json()
                                        .add("id", hex(lease.id()))
                                        .add("ttlSeconds", lease.ttl())
                                        .add("remainingSeconds", lease.remaining()))
                .build();
    }

    /** Compact revision, progress of compaction, and recent compactions. */
    CompletableFuture<JsonObject> compaction() {
        NodeStatus status = server.node().status();
        CompactStats stats = server.node().stats().compact();
        boolean leads = leads(status);
        long floor = Math.max(0, status.compactRevision());
        return CompletableFuture.completedFuture(
                new Json()
                        .add("floor", floor)
                        .add("revision", status.revision())
                        .add("known", leads)
                        .add("finished", leads ? stats.finished() : null)
                        .add("pending", leads ? Math.max(0, floor - stats.finished()) : null)
                        .add("running", leads ? stats.running() : null)
                        .add("automatic", server.settings().autoCompaction())
                        .addRows("last", server.compactions().get(), NodeEndpoints::compaction)
                        .build());
    }

    private static Json compaction(MonitoredServer.Compaction compaction) {
        return new Json()
                .add("revision", compaction.revision())
                .addRounded("seconds", compaction.nanos() / 1e9)
                .add("endedAt", Instant.ofEpochMilli(compaction.endedAtMillis()).toString());
    }

    private static boolean leads(NodeStatus status) {
        return status.leaderId() != 0 && status.leaderId() == status.memberId();
    }

    private static JsonArray array(List<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }

    private static String hex(long id) {
        return Long.toHexString(id);
    }
}
