package io.brain.admin.ctl;

import static io.brain.admin.ctl.TextTable.cell;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The queries of {@code brain ctl}, and the tables that show their answers. */
final class Tables {
    /**
     * A query.
     *
     * @param takesKey whether the command has an optional parameter KEY
     * @param table formats the answer
     */
    record Query(String description, boolean takesKey, Function<JsonObject, String> table) {}

    /** The queries, by name of the endpoint. */
    static final Map<String, Query> QUERIES = new TreeMap<>();

    static {
        add("status", "Identity of the server, leader, members, revision, alarms.", Tables::status);
        add("stages", "Latency of reads and of the stages of a write.", Tables::stages);
        add("prefixes", "Prefixes with most keys, bytes, changes, watchers.", Tables::prefixes);
        add("watchers", "Most watched keys, and slow watchers.", Tables::watchers);
        add("leases", "Number of leases, and the next to expire.", Tables::leases);
        add("compaction", "Compact revision, progress, recent compactions.", Tables::compaction);
        QUERIES.put("ttl", new Query("Rules of expiry, or when KEY expires.", true, Tables::ttl));
    }

    private Tables() {}

    private static void add(String name, String about, Function<JsonObject, String> table) {
        QUERIES.put(name, new Query(about, false, table));
    }

    private static String status(JsonObject answer) {
        for (String list : List.of("alarms", "heldBack")) {
            if (answer.getAsJsonArray(list).isEmpty()) {
                answer.addProperty(list, "none");
            }
        }
        List<JsonObject> members = rows(answer, "members");
        for (JsonObject member : members) {
            member.addProperty("leads", member.get("leads").getAsBoolean() ? "yes" : "");
        }
        String server =
                TextTable.pairs(
                        answer,
                        "name",
                        "member",
                        "leader",
                        "leads",
                        "revision",
                        "compactRevision",
                        "epoch",
                        "storage",
                        "version",
                        "api",
                        "cluster",
                        "storedBytes",
                        "uptimeSeconds",
                        "alarms",
                        "heldBack");
        return server
                + "\n"
                + TextTable.of(
                        members,
                        "MEMBER=id, NAME=name, LEADS=leads, CLIENT URLS=clientUrls, PEER"
                                + " URLS=peerUrls");
    }

    private static String stages(JsonObject answer) {
        return TextTable.of(
                        rows(answer, "stages"),
                        "STAGE=name, PER SECOND=perSecond, MEAN=meanSeconds, P50=p50Seconds,"
                                + " P99=p99Seconds, DESCRIPTION=about")
                + "last %s\n".formatted(cell(answer, "windowSeconds"));
    }

    private static String prefixes(JsonObject answer) {
        String more = answer.get("complete").getAsBoolean() ? "" : ", more not scanned";
        List<JsonObject> sized = rows(answer, "byBytes");
        sized.removeIf(row -> row.get("bytes").isJsonNull());
        return "%s keys, %s prefixes%s\n\n%s\n%s\n%s\n%s"
                .formatted(
                        cell(answer, "keys"),
                        cell(answer, "prefixes"),
                        more,
                        byPrefix(rows(answer, "byKeys"), "KEYS=keys, BYTES (EST.)=bytes"),
                        byPrefix(sized, "BYTES (EST.)=bytes"),
                        byPrefix(rows(answer, "byWrites"), "CHANGES PER SECOND=perSecond"),
                        byPrefix(rows(answer, "byWatchers"), "WATCHERS=watchers"));
    }

    private static String byPrefix(List<JsonObject> rows, String columns) {
        for (JsonObject row : rows) {
            if (cell(row, "prefix").isEmpty()) {
                row.addProperty("prefix", "(none)");
            }
        }
        return TextTable.of(rows, "PREFIX=prefix, " + columns);
    }

    private static String watchers(JsonObject answer) {
        return "%s watchers on %s streams, %s unsynced\n\n%s\n%s"
                .formatted(
                        cell(answer, "watchers"),
                        cell(answer, "streams"),
                        cell(answer, "behind"),
                        TextTable.of(
                                rows(answer, "slow"),
                                "SLOW WATCHER=keys, WATCH ID=watchId, NEXT REVISION=nextRevision,"
                                        + " BEHIND=behind, WAITS FOR=waitsFor"),
                        TextTable.of(rows(answer, "spans"), "KEYS=keys, WATCHERS=watchers"));
    }

    private static String leases(JsonObject answer) {
        if (!answer.get("known").getAsBoolean()) {
            return "only the leader knows leases: query the leader (brain ctl status)\n";
        }
        return "%s leases\n\n%s"
                .formatted(
                        cell(answer, "count"),
                        TextTable.of(
                                rows(answer, "next"),
                                "NEXT TO EXPIRE=id, REMAINING=remainingSeconds, TTL=ttlSeconds"));
    }

    private static String compaction(JsonObject answer) {
        return TextTable.pairs(
                        answer, "floor", "revision", "finished", "pending", "running", "automatic")
                + "\n"
                + TextTable.of(
                        rows(answer, "last"),
                        "FINISHED AT=endedAt, REVISION=revision, DURATION=seconds");
    }

    private static String ttl(JsonObject answer) {
        return answer.has("rules")
                ? TextTable.of(rows(answer, "rules"), "RULE=rule, TTL=ttlSeconds")
                : TextTable.pairs(
                        answer,
                        "key",
                        "rule",
                        "ttlSeconds",
                        "modRevision",
                        "lease",
                        "writtenAt",
                        "expiresAt",
                        "remainingSeconds");
    }

    private static List<JsonObject> rows(JsonObject answer, String name) {
        List<JsonObject> rows = new ArrayList<>();
        answer.getAsJsonArray(name).forEach(row -> rows.add(row.getAsJsonObject()));
        return rows;
    }
}
