package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.transfer.backup.BackupRecord;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The dashboard and the alert rules in deploy/monitoring use existing series. */
class MonitoringFilesTest {
    private static final Path FILES = Path.of("..", "deploy", "monitoring");
    private static final Path MANUAL = Path.of("..", "docs", "monitoring.md");
    private static final Pattern METRIC =
            Pattern.compile("\\b(?:brain|etcd|grpc|jvm|os|process)_[a-z0-9_]+");
    private static final Pattern WORD = Pattern.compile("\\b[a-z_]+(?= ?\\()");
    private static final Pattern SELECTOR =
            Pattern.compile(
                    "\\{LABEL(?:,LABEL)*}".replace("LABEL", "[a-z_]+(?:=~?|!=|!~)\"[^\"]*\""));
    private static final Pattern TIME = Pattern.compile("[0-9]+[smhd]");

    /** Functions and keywords of PromQL that the files use. */
    private static final Set<String> FUNCTIONS =
            Set.of(
                    "by",
                    "without",
                    "sum",
                    "max",
                    "rate",
                    "increase",
                    "delta",
                    "time",
                    "histogram_quantile");

    @TempDir private static Path directory;
    private static Page page;

    @BeforeAll
    static void readThePage() throws Exception {
        PeerMetrics peers = new PeerMetrics();
        peers.of(1).missed();
        MetricsText text = new MetricsText();
        peers.writeTo(text);
        List<String> args =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--auto-tls",
                        "--listen-client-urls=https://127.0.0.1:0",
                        "--listen-metrics-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=https://127.0.0.1:2379");
        try (BrainServer server =
                BrainServer.start(CommandLineReader.read(args, Map.of()).config())) {
            int port = server.metricsAddresses().get(0).getPort();
            URI uri = URI.create("http://127.0.0.1:" + port + "/metrics");
            String own =
                    HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(uri).build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            BackupRecord backup =
                    new BackupRecord("1", "", 0, -1, 1, 0, Instant.EPOCH, 0, 0, "", false);
            page = Page.read(own + text + backup.metrics());
        }
    }

    @Test
    void everyAlertIsWellFormedAndDocumented() throws Exception {
        String manual = Files.readString(MANUAL);
        List<Map<?, ?>> rules = new ArrayList<>();
        for (Object group : list(map(load("alerts.yaml")).get("groups"))) {
            list(map(group).get("rules")).forEach(rule -> rules.add(map(rule)));
        }
        assertThat(rules).hasSizeGreaterThan(15);
        Set<Object> names = new TreeSet<>();
        for (Map<?, ?> rule : rules) {
            String name = (String) rule.get("alert");
            assertThat(names.add(name)).as(name).isTrue();
            assertThat(manual).contains("| `" + name + "` |");
            check((String) rule.get("expr"));
            if (rule.containsKey("for")) {
                assertThat((String) rule.get("for")).matches(TIME);
            }
            assertThat(map(rule.get("labels")).get("severity")).isIn("critical", "warning");
            assertThat((String) map(rule.get("annotations")).get("summary")).isNotBlank();
        }
        Matcher documented = Pattern.compile("(?m)^\\| `(Brain[A-Za-z]+)` \\|").matcher(manual);
        assertThat(documented.results().map(found -> found.group(1))).containsAll(texts(names));
        documented.reset();
        assertThat(documented.results().map(found -> found.group(1)))
                .as("no alert is described that does not exist")
                .isSubsetOf(texts(names));
    }

    @Test
    void everyPanelUsesExistingSeries() throws Exception {
        Map<?, ?> dashboard = map(load("dashboard.json"));
        Set<Object> ids = new TreeSet<>();
        int queries = 0;
        for (Object each : list(dashboard.get("panels"))) {
            Map<?, ?> panel = map(each);
            assertThat(ids.add(panel.get("id"))).isTrue();
            assertThat((String) panel.get("title")).isNotBlank();
            if ("timeseries".equals(panel.get("type"))) {
                for (Object target : list(panel.get("targets"))) {
                    queries++;
                    check(((String) map(target).get("expr")).replace("$__rate_interval", "5m"));
                }
            }
        }
        assertThat(queries).isGreaterThan(40);
    }

    /** The manual shortens a name that follows a similar one to its last part. */
    @Test
    void everyMetricOfBrainIsDocumented() throws Exception {
        List<String> documented =
                Pattern.compile("`((?:brain)?_[a-z_]+)")
                        .matcher(Files.readString(MANUAL))
                        .results()
                        .map(found -> found.group(1))
                        .toList();
        assertThat(page.names())
                .filteredOn(name -> name.startsWith("brain_"))
                .hasSizeGreaterThan(40)
                .filteredOn(name -> !name.startsWith("brain_storage_")) // by engine, as a family
                .allMatch(
                        name ->
                                documented.stream()
                                        .anyMatch(
                                                end ->
                                                        name.equals(end)
                                                                || (end.startsWith("_")
                                                                        && name.endsWith(end))));
    }

    /** A basic syntax check without Prometheus' parser. */
    private static void check(String expression) {
        Deque<Character> open = new ArrayDeque<>();
        for (char c : expression.replaceAll("\"[^\"]*\"", "\"\"").toCharArray()) {
            if ("([{".indexOf(c) >= 0) {
                open.push(c);
            } else if (")]}".indexOf(c) >= 0) {
                assertThat(open).as(expression).isNotEmpty();
                assertThat("([{".indexOf(open.pop())).isEqualTo(")]}".indexOf(c));
            }
        }
        assertThat(open).as(expression).isEmpty();
        Matcher words = WORD.matcher(expression);
        words.results().forEach(word -> assertThat(word.group()).isIn(FUNCTIONS));
        String rest = SELECTOR.matcher(expression).replaceAll("");
        assertThat(rest).as("selectors: %s", expression).doesNotContain("{", "}", "\"");
        Matcher ranges = Pattern.compile("\\[([^]]*)]").matcher(expression);
        ranges.results().forEach(range -> assertThat(range.group(1)).matches(TIME));
        Matcher metrics = METRIC.matcher(rest.replaceAll("\\b(?:by|without) \\([^)]*\\)", ""));
        int found = 0;
        while (metrics.find()) {
            found++;
            String name = metrics.group();
            boolean counted = name.matches(".*_(bucket|sum|count)");
            String family = counted ? name.replaceFirst("_[a-z]+$", "") : name;
            assertThat(page.names()).as(expression).contains(family);
            assertThat("histogram".equals(page.type(family)))
                    .as("%s of a histogram", name)
                    .isEqualTo(counted);
        }
        assertThat(found > 0 || expression.startsWith("up{")).as(expression).isTrue();
    }

    private static Object load(String file) throws Exception {
        return new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(FILES.resolve(file)));
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) value;
    }

    private static List<?> list(Object value) {
        return (List<?>) value;
    }

    private static List<String> texts(Set<Object> names) {
        return names.stream().map(Object::toString).toList();
    }
}
