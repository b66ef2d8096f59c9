package io.brain.server.ctl;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Facts as tables. */
final class Tables {
    /** How each fact is shown, by its name. */
    static final Map<String, Function<JsonObject, String>> BY_FACT =
            Map.of(
                    "status", Tables::status,
                    "stages", Tables::stages,
                    "prefixes", Tables::prefixes,
                    "watchers", Tables::watchers,
                    "leases", Tables::leases,
                    "compaction", Tables::compaction);

    private Tables() {}

    private static String status(JsonObject fact) {
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
            one.row(name, text(fact, name));
        }
        one.row("stored", Units.bytes(number(fact, "storedBytes")));
        one.row("uptime", Units.time(number(fact, "uptimeSeconds")));
        one.row("alarms", fact.getAsJsonArray("alarms").isEmpty() ? "none" : all(fact, "alarms"));
        TextTable members = new TextTable("MEMBER", "NAME", "LEADS", "CLIENT URLS", "PEER URLS");
        for (JsonObject member : rows(fact, "members")) {
            members.row(
                    text(member, "id"),
                    text(member, "name"),
                    member.get("leads").getAsBoolean() ? "yes" : "",
                    all(member, "clientUrls"),
                    all(member, "peerUrls"));
        }
        return one.toString().stripLeading() + "\n" + members;
    }

    private static String stages(JsonObject fact) {
        TextTable table =
                new TextTable("STAGE", ">PER SECOND", ">MEAN", ">P50", ">P99", "WHAT IS TIMED");
        for (JsonObject stage : rows(fact, "stages")) {
            table.row(
                    text(stage, "name"),
                    Units.rate(number(stage, "perSecond")),
                    Units.time(number(stage, "meanSeconds")),
                    Units.time(number(stage, "p50Seconds")),
                    Units.time(number(stage, "p99Seconds")),
                    text(stage, "about"));
        }
        return table + "the last " + Units.time(number(fact, "windowSeconds")) + "\n";
    }

    private static String prefixes(JsonObject fact) {
        TextTable keys = new TextTable("PREFIX", ">KEYS", ">BYTES, ABOUT");
        for (JsonObject row : rows(fact, "byKeys")) {
            boolean guessed = !row.get("bytes").isJsonNull();
            keys.row(
                    prefix(row),
                    text(row, "keys"),
                    guessed ? Units.bytes(number(row, "bytes")) : "-");
        }
        TextTable bytes = new TextTable("PREFIX", ">BYTES, ABOUT");
        for (JsonObject row : rows(fact, "byBytes")) {
            if (!row.get("bytes").isJsonNull()) {
                bytes.row(prefix(row), Units.bytes(number(row, "bytes")));
            }
        }
        TextTable writes = new TextTable("PREFIX", ">CHANGES PER SECOND");
        for (JsonObject row : rows(fact, "byWrites")) {
            writes.row(prefix(row), Units.rate(number(row, "perSecond")));
        }
        TextTable watchers = new TextTable("PREFIX", ">WATCHERS");
        for (JsonObject row : rows(fact, "byWatchers")) {
            watchers.row(prefix(row), text(row, "watchers"));
        }
        String more = fact.get("complete").getAsBoolean() ? "" : ", more were not looked at";
        String sum = text(fact, "keys") + " keys, " + text(fact, "prefixes") + " prefixes" + more;
        return String.join(
                "\n", List.of(sum + "\n", keys + "", bytes + "", writes + "", watchers + ""));
    }

    private static String watchers(JsonObject fact) {
        TextTable slow =
                new TextTable("SLOW: KEYS", ">WATCH", ">NEXT REVISION", ">BEHIND", "WAITS FOR");
        for (JsonObject row : rows(fact, "slow")) {
            slow.row(
                    text(row, "keys"),
                    text(row, "watchId"),
                    text(row, "nextRevision"),
                    text(row, "behind"),
                    text(row, "waitsFor"));
        }
        TextTable spans = new TextTable("KEYS", ">WATCHERS");
        for (JsonObject row : rows(fact, "spans")) {
            spans.row(text(row, "keys"), text(row, "watchers"));
        }
        return "%s watchers on %s streams, %s behind\n\n%s\n%s"
                .formatted(
                        text(fact, "watchers"),
                        text(fact, "streams"),
                        text(fact, "behind"),
                        slow,
                        spans);
    }

    private static String leases(JsonObject fact) {
        if (!fact.get("known").getAsBoolean()) {
            return "the leader knows of leases: ask it (brain ctl status)\n";
        }
        TextTable next = new TextTable("NEXT TO END", ">LEFT", ">GRANTED FOR");
        for (JsonObject row : rows(fact, "next")) {
            next.row(
                    text(row, "id"),
                    text(row, "remainingSeconds") + " s",
                    text(row, "ttlSeconds") + " s");
        }
        return text(fact, "count") + " leases\n\n" + next;
    }

    private static String compaction(JsonObject fact) {
        TextTable one = new TextTable("", "");
        for (String name :
                List.of("floor", "revision", "finished", "pending", "running", "automatic")) {
            one.row(name, text(fact, name));
        }
        TextTable last = new TextTable("ENDED", ">TO REVISION", ">TOOK");
        for (JsonObject row : rows(fact, "last")) {
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

    private static List<JsonObject> rows(JsonObject fact, String name) {
        List<JsonObject> rows = new ArrayList<>();
        fact.getAsJsonArray(name).forEach(row -> rows.add(row.getAsJsonObject()));
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
