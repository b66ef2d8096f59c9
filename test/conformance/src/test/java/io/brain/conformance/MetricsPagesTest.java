package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Brain's page of metrics and a real etcd's after the same calls: each of etcd's series is there,
 * or in the documented list of those that Brain does not have; counts of what was done are the
 * same.
 */
@Tag("peer")
class MetricsPagesTest {
    private static final int PAGES_MAX = 3;
    private static final Path LIST = Path.of("../../docs/monitoring.md");
    private static final String HEADING = "### etcd metrics that Brain does not have";
    private static final Pattern LISTED = Pattern.compile("`([a-z_*]+(?:\\{[^}]*\\})?)`");

    /** What grows by what is done. */
    private static final Pattern COUNTED =
            Pattern.compile(
                    "etcd_mvcc_(put|delete|txn|range)_total.*"
                        + "|etcd_debugging_mvcc_(keys_total|total_put_size_in_bytes|events_total).*"
                        + "|etcd_debugging_mvcc_(current_revision|watch_stream_total).*"
                        + "|etcd_debugging_mvcc_(watcher_total|slow_watcher_total).*"
                        + "|etcd_debugging_mvcc_db_compaction_keys_total.*"
                        + "|etcd_debugging_lease_.*|etcd_debugging_server_lease_expired.*"
                        + "|etcd_mvcc_hash_.*|etcd_server_(range|request)_duration_seconds.*"
                        + "|etcd_server_client_requests_total.*"
                        + "|etcd_server_(proposals_failed|leader_changes).*"
                        + "|grpc_server_.*grpc_type=\"unary\".*");

    /** What is the same at any time. */
    private static final Pattern SAME =
            Pattern.compile(
                    "etcd_debugging_mvcc_(keys_total|current_revision|compact_revision).*"
                            + "|etcd_server_(has_leader|is_leader|is_learner|version|id).*"
                            + "|etcd_cluster_version.*");

    /** A server's page before and after the calls, and when its health was asked for, too. */
    private record Pages(MetricsSeries before, MetricsSeries after, MetricsSeries last) {}

    @Test
    void eachSeriesOfEtcdIsThereOrListed() throws Exception {
        Pages etcd = pages(ServerCommand.etcd());
        Pages brain = pages(ServerCommand.compared());
        // A page may be read before a server has counted the end of the last call.
        for (int i = 1; i < PAGES_MAX && !values(brain).equals(values(etcd)); i++) {
            etcd = pages(ServerCommand.etcd());
            brain = pages(ServerCommand.compared());
        }

        Map<String, String> missing = new TreeMap<>(etcd.last.shapes());
        missing.entrySet().removeAll(brain.last.shapes().entrySet());
        Map<String, Pattern> listed = listed();
        Map<String, TreeSet<String>> uses = new TreeMap<>();
        TreeSet<String> unlisted = new TreeSet<>();
        for (String series : missing.keySet()) {
            boolean found = false;
            for (Map.Entry<String, Pattern> entry : listed.entrySet()) {
                if (entry.getValue().matcher(series).matches()) {
                    uses.computeIfAbsent(entry.getKey(), none -> new TreeSet<>()).add(series);
                    found = true;
                }
            }
            if (!found) {
                unlisted.add(series + " " + missing.get(series) + " of " + shapeOf(series, brain));
            }
        }
        assertThat(unlisted).as("series of etcd's that Brain has not, or otherwise").isEmpty();
        assertThat(uses.keySet()).as("listed, and not missing").isEqualTo(listed.keySet());
        assertThat(values(brain)).isEqualTo(values(etcd)).hasSizeGreaterThan(100);
        for (Pages pages : List.of(etcd, brain)) {
            assertThat(pages.last.values().get("etcd_mvcc_db_total_size_in_bytes{}")).isPositive();
            assertThat(pages.last.values().get("etcd_mvcc_db_total_size_in_use_in_bytes{}"))
                    .isPositive();
        }
        System.out.printf(
                "metrics: %d series of etcd's, %d listed, %d values compared%n",
                etcd.last.shapes().size(), missing.size(), values(etcd).size());
    }

    private static String shapeOf(String series, Pages brain) {
        return brain.last.shapes().getOrDefault(series, "none");
    }

    /** Of each series that both have and whose value is determined: its growth, or its value. */
    private static Map<String, Double> values(Pages pages) {
        Map<String, Double> values = new TreeMap<>();
        for (String series : pages.after.values().keySet()) {
            boolean ownWork = series.contains("ClusterMember") || series.contains("ClusterVersion");
            boolean none = pages.after.values().get(series) == 0;
            if (COUNTED.matcher(series).matches() && !ownWork && !none) {
                values.put("growth of " + series, pages.after.since(pages.before, series));
            }
            if (SAME.matcher(series).matches()) {
                values.put(series, pages.after.values().get(series));
            }
        }
        return values;
    }

    private static Map<String, Pattern> listed() throws IOException {
        Map<String, Pattern> listed = new LinkedHashMap<>();
        String page = Files.readString(LIST);
        String section = page.substring(page.indexOf(HEADING));
        section = section.substring(0, section.indexOf("\n## "));
        for (String line : section.split("\n", -1)) {
            if (!line.startsWith("| `")) {
                continue;
            }
            Matcher series = LISTED.matcher(line.substring(0, line.indexOf(" | ")));
            List<String> names = new ArrayList<>();
            while (series.find()) {
                names.add(series.group(1));
            }
            for (String name : names) {
                boolean labelled = name.contains("{");
                String label = labelled ? name.substring(name.indexOf('{') + 1) : "}";
                String family = labelled ? name.substring(0, name.indexOf('{')) : name;
                listed.put(
                        name,
                        Pattern.compile(
                                family.replace("*", ".*")
                                        + "\\{.*"
                                        + Pattern.quote(label.substring(0, label.length() - 1))
                                        + ".*"));
            }
        }
        return new TreeMap<>(listed);
    }

    private static Pages pages(ServerCommand command) throws Exception {
        try (Server server = Server.start(command, List.of("--metrics=extensive"))) {
            MetricsSeries before = MetricsSeries.read(get(server, "/metrics"));
            try (MeteredCalls calls = new MeteredCalls(server)) {
                calls.all();
                MetricsSeries after = MetricsSeries.read(get(server, "/metrics"));
                get(server, "/health");
                get(server, "/livez");
                get(server, "/readyz");
                return new Pages(before, after, MetricsSeries.read(get(server, "/metrics")));
            }
        }
    }

    private static String get(Server server, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.http().resolve(path)).build(),
                        BodyHandlers.ofString())
                .body();
    }
}
