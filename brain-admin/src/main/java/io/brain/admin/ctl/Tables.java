package io.brain.admin.ctl;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Formats answers as tables. */
final class Tables {
    /** Formatters by endpoint name. */
    static final Map<String, Function<JsonObject, String>> BY_NAME =
            Map.of(
                    "status", Tables::status,
                    "stages", Tables::stages,
                    "prefixes", Tables::prefixes,
                    "watchers", Tables::watchers,
                    "leases", Tables::leases,
                    "compaction", Tables::compaction);

    private Tables() {}

    private static String status(JsonObject answer) {
        TextTable one = new TextTable("", "");
        for (String name :
                List.of(
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
                        "cluster")) {
            one.row(name, text(answer, name));
        }
        one.row("stored", Units.bytes(number(answer, "storedBytes")));
        one.row("uptime", Units.time(number(answer, "uptimeSeconds")));
        one.row(
                "alarms",
                answer.getAsJsonArray("alarms").isEmpty() ? "none" : all(answer, "alarms"));
        TextTable members = new TextTable("MEMBER", "NAME", "LEADS", "CLIENT URLS", "PEER URLS");
        for (JsonObject member : rows(answer, "members")) {
            members.row(
                    text(member, "id"),
                    text(member, "name"),
                    member.get("leads").getAsBoolean() ? "yes" : "",
                    all(member, "clientUrls"),
                    all(member, "peerUrls"));
        }
        return one.toString().stripLeading() + "\n" + members;
    }

    private static String stages(JsonObject answer) {
        TextTable table =
                new TextTable("STAGE", ">PER SECOND", ">MEAN", ">P50", ">P99", "DESCRIPTION");
        for (JsonObject stage : rows(answer, "stages")) {
            table.row(
                    text(stage, "name"),
                    Units.rate(number(stage, "perSecond")),
                    Units.time(number(stage, "meanSeconds")),
                    Units.time(number(stage, "p50Seconds")),
                    Units.time(number(stage, "p99Seconds")),
                    text(stage, "about"));
        }
        return table + "last " + Units.time(number(answer, "windowSeconds")) + "\n";
    }

    private static String prefixes(JsonObject answer) {
        TextTable keys = new TextTable("PREFIX", ">KEYS", ">BYTES (EST.)");
        for (JsonObject row : rows(answer, "byKeys")) {
            boolean estimated = !row.get("bytes").isJsonNull();
            keys.row(
                    prefix(row),
                    text(row, "keys"),
                    estimated ? Units.bytes(number(row, "bytes")) : "-");
        }
        TextTable bytes = new TextTable("PREFIX", ">BYTES (EST.)");
        for (JsonObject row : rows(answer, "byBytes")) {
            if (!row.get("bytes").isJsonNull()) {
                bytes.row(prefix(row), Units.bytes(number(row, "bytes")));
            }
        }
        TextTable writes = new TextTable("PREFIX", ">CHANGES PER SECOND");
        for (JsonObject row : rows(answer, "byWrites")) {
            writes.row(prefix(row), Units.rate(number(row, "perSecond")));
        }
        TextTable watchers = new TextTable("PREFIX", ">WATCHERS");
        for (JsonObject row : rows(answer, "byWatchers")) {
            watchers.row(prefix(row), text(row, "watchers"));
        }
        String more = answer.get("complete").getAsBoolean() ? "" : ", more not scanned";
        String sum =
                text(answer, "keys") + " keys, " + text(answer, "prefixes") + " prefixes" + more;
        return String.join(
                "\n", List.of(sum + "\n", keys + "", bytes + "", writes + "", watchers + ""));
    }

    private static String watchers(JsonObject answer) {
        TextTable slow =
                new TextTable(
                        "SLOW WATCHER", ">WATCH ID", ">NEXT REVISION", ">BEHIND", "WAITS FOR");
        for (JsonObject row : rows(answer, "slow")) {
            slow.row(
                    text(row, "keys"),
                    text(row, "watchId"),
                    text(row, "nextRevision"),
                    text(row, "behind"),
                    text(row, "waitsFor"));
        }
        TextTable spans = new TextTable("KEYS", ">WATCHERS");
        for (JsonObject row : rows(answer, "spans")) {
            spans.row(text(row, "keys"), text(row, "watchers"));
        }
        return "%s watchers on %s streams, %s unsynced\n\n%s\n%s"
                .formatted(
                        text(answer, "watchers"),
                        text(answer, "streams"),
                        text(answer, "behind"),
                        slow,
                        spans);
    }

    private static String leases(JsonObject answer) {
        if (!answer.get("known").getAsBoolean()) {
            return "only the leader knows leases: query the leader (brain ctl status)\n";
        }
        TextTable next = new TextTable("NEXT TO EXPIRE", ">REMAINING", ">TTL");
        for (JsonObject row : rows(answer, "next")) {
            next.row(
                    text(row, "id"),
                    text(row, "remainingSeconds") + " s",
                    text(row, "ttlSeconds") + " s");
        }
        return text(answer, "count") + " leases\n\n" + next;
    }

    private static String compaction(JsonObject answer) {
        TextTable one = new TextTable("", "");
        for (String name :
                List.of("floor", "revision", "finished", "pending", "running", "automatic")) {
            one.row(name, text(answer, name));
        }
        TextTable last = new TextTable("FINISHED AT", ">REVISION", ">DURATION");
        for (JsonObject row : rows(answer, "last")) {
            last.row(
                    text(row, "endedAt"),
                    text(row, "revision"),
                    Units.time(number(row, "seconds")));
        }
        return one.toString().stripLeading() + "\n" + last;
    }

    private static String prefix(JsonObject row) {
        String prefix = text(row, "prefix");
        return prefix.isEmpty() ? "(none)" : prefix;
    }

    private static List<JsonObject> rows(JsonObject answer, String name) {
        List<JsonObject> rows = new ArrayList<>();
        answer.getAsJsonArray(name).forEach(row -> rows.add(row.getAsJsonObject()));
        return rows;
    }

    private static String all(JsonObject of, String name) {
        List<String> texts = new ArrayList<>();
        of.getAsJsonArray(name).forEach(text -> texts.add(text.getAsString()));
        return String.join(" ", texts);
    }

    private static String text(JsonObject of, String name) {
        JsonElement value = of.get(name);
        return value == null || value.isJsonNull() ? "-" : value.getAsString();
    }

    private static double number(JsonObject of, String name) {
        return of.get(name).getAsDouble();
    }
}
