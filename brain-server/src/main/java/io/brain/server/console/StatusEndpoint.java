package io.brain.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Backend;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.Member;
import io.brain.backend.model.NodeStatus;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.Versions;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Identity of this server, leader, members, revision and alarms. */
final class StatusEndpoint implements AdminEndpoint {
    private final Diagnostics diagnostics;
    private final BrainConfig config;
    private final long since;

    /** Creates the endpoint; uptime counts from now. */
    StatusEndpoint(Diagnostics diagnostics, BrainConfig config) {
        this.diagnostics = diagnostics;
        this.config = config;
        this.since = diagnostics.runtime().clock().nanos();
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        Backend backend = diagnostics.backend();
        // The member list is in the store: without the store the answer contains the rest.
        return backend.cluster()
                .members()
                .handle((members, failure) -> status(failure == null ? members : List.of()));
    }

    private JsonObject status(List<Member> members) {
        NodeStatus now = diagnostics.backend().status();
        JsonObject status = new JsonObject();
        status.addProperty("name", config.name());
        status.addProperty("version", Versions.brain());
        status.addProperty("api", Versions.API);
        long seconds = (diagnostics.runtime().clock().nanos() - since) / 1_000_000_000;
        status.addProperty("uptimeSeconds", seconds);
        status.addProperty("cluster", hex(now.clusterId()));
        status.addProperty("member", hex(now.memberId()));
        status.addProperty("leader", now.leaderId() == 0 ? null : hex(now.leaderId()));
        status.addProperty("leads", now.leaderId() != 0 && now.leaderId() == now.memberId());
        status.addProperty("epoch", now.epoch());
        status.addProperty("revision", now.revision());
        status.addProperty("compactRevision", Math.max(0, now.compactRevision()));
        status.addProperty("storage", config.storage().engine());
        status.addProperty("keyspace", config.cluster().keyspace());
        status.addProperty("storedBytes", now.storedBytes());
        status.addProperty("quotaBytes", now.quotaBytes());
        JsonArray alarms = new JsonArray();
        for (Alarm alarm : now.alarms()) {
            alarms.add(alarm.kindName() + " on " + hex(alarm.memberId()));
        }
        status.add("alarms", alarms);
        JsonArray list = new JsonArray();
        members.forEach(member -> list.add(member(member, now)));
        status.add("members", list);
        status.addProperty("keysShown", config.urls().keysShown());
        return status;
    }

    private static JsonObject member(Member member, NodeStatus now) {
        JsonObject json = new JsonObject();
        json.addProperty("id", hex(member.id()));
        json.addProperty("name", member.name());
        json.addProperty("leads", member.id() == now.leaderId());
        json.addProperty("here", member.id() == now.memberId());
        json.add("clientUrls", array(member.clientUrls()));
        json.add("peerUrls", array(member.peerUrls()));
        return json;
    }

    private static JsonArray array(List<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }

    static String hex(long id) {
        return Long.toHexString(id);
    }
}
