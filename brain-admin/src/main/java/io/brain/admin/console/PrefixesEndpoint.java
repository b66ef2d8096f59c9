package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.model.KeySpan;
import io.brain.backend.traffic.KeyPrefix;
import io.brain.backend.traffic.PrefixRate;
import io.brain.backend.watch.WatchCensus;
import io.brain.storage.Bytes;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The prefixes with the most keys, bytes, changes and watchers. */
final class PrefixesEndpoint implements AdminEndpoint {
    private static final Comparator<PrefixGroup> BY_KEYS =
            Comparator.comparingLong(PrefixGroup::keys).reversed();
    private static final Comparator<PrefixGroup> BY_BYTES =
            Comparator.comparingLong(PrefixGroup::bytes).reversed();

    private final MonitoredServer server;
    private final int rowsMax;

    PrefixesEndpoint(MonitoredServer server, int rowsMax) {
        this.server = server;
        this.rowsMax = rowsMax;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        PrefixScan scan = new PrefixScan(server.node()::range, server.runtime().background());
        return scan.run().thenCombine(server.node().insight().watchers(), this::json);
    }

    private JsonObject json(PrefixScan.Found found, WatchCensus summary) {
        JsonObject json = new JsonObject();
        json.addProperty("prefixes", found.groups().size());
        json.addProperty("complete", found.complete());
        json.addProperty("keys", found.groups().stream().mapToLong(PrefixGroup::keys).sum());
        json.add("byKeys", groups(found, BY_KEYS));
        json.add("byBytes", groups(found, BY_BYTES));
        JsonArray writes = new JsonArray();
        server.node().insight().writes().stream().limit(rowsMax).forEach(r -> writes.add(rate(r)));
        json.add("byWrites", writes);
        json.add("byWatchers", watchers(summary));
        return json;
    }

    private JsonArray groups(PrefixScan.Found found, Comparator<PrefixGroup> order) {
        JsonArray groups = new JsonArray();
        found.groups().stream()
                .sorted(order)
                .limit(rowsMax)
                .forEach(
                        group -> {
                            JsonObject row = new JsonObject();
                            row.addProperty("prefix", KeyText.of(group.prefix()));
                            row.addProperty("keys", group.keys());
                            row.addProperty("bytes", group.bytes() < 0 ? null : group.bytes());
                            groups.add(row);
                        });
        return groups;
    }

    private static JsonObject rate(PrefixRate rate) {
        JsonObject row = new JsonObject();
        row.addProperty("prefix", KeyText.of(rate.prefix()));
        row.addProperty("perSecond", Rounded.of(rate.perSecond()));
        row.addProperty("errorPerSecond", Rounded.of(rate.errorPerSecond()));
        return row;
    }

    private JsonArray watchers(WatchCensus summary) {
        Map<Bytes, Integer> byPrefix = new LinkedHashMap<>();
        for (WatchCensus.Span span : summary.spans()) {
            byPrefix.merge(prefix(span.keys()), span.watchers(), Integer::sum);
        }
        JsonArray watchers = new JsonArray();
        byPrefix.entrySet().stream()
                .sorted(Map.Entry.<Bytes, Integer>comparingByValue().reversed())
                .limit(rowsMax)
                .forEach(
                        entry -> {
                            JsonObject row = new JsonObject();
                            row.addProperty("prefix", KeyText.of(entry.getKey()));
                            row.addProperty("watchers", entry.getValue());
                            watchers.add(row);
                        });
        return watchers;
    }

    /** The prefix that all keys of a span share; empty if there is none. */
    private static Bytes prefix(KeySpan span) {
        Bytes prefix = KeyPrefix.of(span.key());
        Bytes end = prefix.prefixEnd();
        boolean within = span.single() || (span.end() != null && end != null);
        return within && (span.single() || span.end().compareTo(end) <= 0) ? prefix : Bytes.EMPTY;
    }
}
