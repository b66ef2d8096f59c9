package io.brain.admin.console;

import com.google.gson.JsonObject;
import io.brain.backend.model.KeySpan;
import io.brain.backend.traffic.KeyPrefix;
import io.brain.backend.traffic.WriteTraffic.PrefixRate;
import io.brain.backend.watch.WatcherSummary;
import io.brain.storage.Bytes;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The prefixes with the most keys, bytes, changes and watchers. */
final class PrefixesEndpoint {
    private static final Comparator<PrefixScan.Group> BY_KEYS =
            Comparator.comparing(PrefixScan.Group::keys).reversed();
    private static final Comparator<PrefixScan.Group> BY_BYTES =
            Comparator.comparing(
                    PrefixScan.Group::bytes, Comparator.nullsLast(Comparator.reverseOrder()));

    private final MonitoredServer server;
    private final KeyReader reader;

    PrefixesEndpoint(MonitoredServer server, KeyReader reader) {
        this.server = server;
        this.reader = reader;
    }

    CompletableFuture<JsonObject> answer() {
        return new PrefixScan(reader, server.runtime().background())
                .run()
                .thenCombine(server.node().summaries().watchers(), this::json);
    }

    private JsonObject json(PrefixScan.Result result, WatcherSummary watchers) {
        List<PrefixScan.Group> groups = result.groups();
        return new Json()
                .add("prefixes", groups.size())
                .add("complete", result.complete())
                .add("keys", groups.stream().mapToLong(PrefixScan.Group::keys).sum())
                .addRows("byKeys", sorted(groups, BY_KEYS), PrefixesEndpoint::row)
                .addRows("byBytes", sorted(groups, BY_BYTES), PrefixesEndpoint::row)
                .addRows("byWrites", server.node().summaries().writes(), PrefixesEndpoint::row)
                .addRows("byWatchers", byPrefix(watchers), PrefixesEndpoint::row)
                .build();
    }

    private static <T> List<T> sorted(List<T> items, Comparator<T> order) {
        return items.stream().sorted(order).toList();
    }

    private static Json row(PrefixScan.Group group) {
        return row(group.prefix()).add("keys", group.keys()).add("bytes", group.bytes());
    }

    private static Json row(PrefixRate rate) {
        return row(rate.prefix())
                .addRounded("perSecond", rate.perSecond())
                .addRounded("errorPerSecond", rate.errorPerSecond());
    }

    private static Json row(Map.Entry<Bytes, Integer> watchers) {
        return row(watchers.getKey()).add("watchers", watchers.getValue());
    }

    private static Json row(Bytes prefix) {
        return new Json().add("prefix", KeyText.of(prefix));
    }

    /** Number of watchers per prefix, largest first. */
    private static List<Map.Entry<Bytes, Integer>> byPrefix(WatcherSummary watchers) {
        Map<Bytes, Integer> byPrefix = new LinkedHashMap<>();
        for (WatcherSummary.Span span : watchers.spans()) {
            byPrefix.merge(prefix(span.keys()), span.watchers(), Integer::sum);
        }
        return byPrefix.entrySet().stream()
                .sorted(Map.Entry.<Bytes, Integer>comparingByValue().reversed())
                .toList();
    }

    /** The prefix that all keys of a span share; empty if there is none. */
    private static Bytes prefix(KeySpan span) {
        Bytes prefix = KeyPrefix.of(span.key());
        Bytes end = prefix.prefixEnd();
        boolean within = span.single() || (span.end() != null && end != null);
        return within && (span.single() || span.end().compareTo(end) <= 0) ? prefix : Bytes.EMPTY;
    }
}
