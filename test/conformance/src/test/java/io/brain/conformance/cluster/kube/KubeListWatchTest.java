package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.brain.conformance.cluster.Form;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Lists and watches: of config maps through the watch cache, of secrets straight from the store.
 */
class KubeListWatchTest extends KubeFixture {

    private static final int OBJECTS = Form.size(2_000, 10_000);
    private static final int PAGE = OBJECTS / 4;

    @Override
    List<String> flags() {
        return List.of("--watch-cache-sizes=secrets#0");
    }

    @Test
    void listOfTheWatchCacheComesInPages() throws Exception {
        createNamespace("cached");
        String path = core("cached", "configmaps");
        createAll(path, i -> KubeObjects.configMap(name(i), "0"));
        readInPages(path, KubeObjects.configMap("added-meanwhile", "0"));
        figure("paged config maps", OBJECTS);
    }

    @Test
    void listOfTheStoreComesInPages() throws Exception {
        createNamespace("stored");
        String path = core("stored", "secrets");
        createAll(path, i -> KubeObjects.secret(name(i), "text"));
        readInPages(path, KubeObjects.secret("added-meanwhile", "text"));
        figure("paged secrets", OBJECTS);
    }

    @Test
    void watchersSeeEveryChangeOnceAndInOrder() throws Exception {
        createNamespace("watched");
        String path = core("watched", "configmaps");
        long start = kube().get(path).resourceVersion();
        List<KubeWatch> watches = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            watches.add(kube().watch(path, start));
        }
        List<List<Long>> written =
                inParallel(
                        8,
                        client -> {
                            List<Long> versions = new ArrayList<>();
                            for (int i = 0; i < 10; i++) {
                                String name = "c" + client + "-" + i;
                                JsonObject map = KubeObjects.configMap(name, "0");
                                versions.add(kube().create(path, map).resourceVersion());
                                JsonObject next = KubeObjects.json("{'data':{'seq':'1'}}");
                                String one = path + "/" + name;
                                versions.add(kube().patch(one, next).resourceVersion());
                                kube().delete(one).orFail();
                            }
                            return versions;
                        });
        Set<Long> versions = written.stream().flatMap(List::stream).collect(Collectors.toSet());
        assertThat(versions).hasSize(160);
        for (KubeWatch watch : watches) {
            List<KubeWatch.Event> events = watch.take(240);
            watch.close();
            assertThat(events).extracting(KubeWatch.Event::resourceVersion).isSorted();
            assertThat(versionsOf(events, "ADDED", "MODIFIED")).isEqualTo(versions);
            assertThat(versionsOf(events, "DELETED"))
                    .hasSize(80)
                    .doesNotContainAnyElementsOf(versions);
        }
        figure("watched changes", 240);
    }

    @Test
    void watchOfTheStoreReplaysHistory() throws Exception {
        createNamespace("replayed");
        String path = core("replayed", "secrets");
        long start = kube().get(path).resourceVersion();
        List<Long> versions = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            JsonObject secret = KubeObjects.secret("s" + i, "text");
            versions.add(kube().create(path, secret).resourceVersion());
        }
        KubeWatch watch = kube().watch(path, start);
        assertThat(watch.take(50))
                .extracting(KubeWatch.Event::resourceVersion)
                .containsExactlyElementsOf(versions);
        watch.close();
    }

    @Test
    void listThatBecomesAWatchSendsItsObjectsFirst() throws Exception {
        createNamespace("initial");
        String path = core("initial", "configmaps");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            names.add("m" + i);
            kube().create(path, KubeObjects.configMap("m" + i, "0")).orFail();
        }
        String query = "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        KubeWatch watch = kube().watch(path + query, 0);
        Set<String> sent =
                watch.take(20).stream().map(KubeWatch.Event::name).collect(Collectors.toSet());
        assertThat(sent).isEqualTo(names);
        KubeWatch.Event bookmark = watch.next(Duration.ofSeconds(60)).orElseThrow();
        assertThat(bookmark.type()).isEqualTo("BOOKMARK");
        assertThat(bookmark.object().toString()).contains("k8s.io/initial-events-end");
        kube().create(path, KubeObjects.configMap("later", "0")).orFail();
        assertThat(watch.take(1).get(0).name()).isEqualTo("later");
        watch.close();
    }

    /**
     * A list from the cache waits until the cache has reached the store's revision. Only a watch
     * progress answer can tell it so when the latest changes were none of its own.
     */
    @Test
    void consistentReadsComeFromTheWatchCacheByProgressRequests() throws Exception {
        createNamespace("consistent");
        String secrets = core("consistent", "secrets");
        String maps = core("consistent", "configmaps");
        kube().create(secrets, KubeObjects.secret("s", "0")).orFail();
        CacheReads before = CacheReads.of(kube(), "configmaps");
        int reads = Form.size(50, 500);
        long slowest = 0;
        for (int i = 0; i < reads; i++) {
            String next = "{'stringData':{'text':'t%d'}}".formatted(i);
            long written = kube().patch(secrets + "/s", KubeObjects.json(next)).resourceVersion();
            long started = System.nanoTime();
            assertThat(kube().get(maps).resourceVersion()).isGreaterThanOrEqualTo(written);
            slowest = Math.max(slowest, System.nanoTime() - started);
        }
        CacheReads after = CacheReads.of(kube(), "configmaps");
        long served = after.served() - before.served();
        long other = after.other() - before.other();
        assertThat(served + other).isGreaterThanOrEqualTo(reads);
        // A cache that is not told of the progress within 3 s falls back, as on a stalled machine.
        assertThat(other).as("reads that fell back to the store or failed").isLessThan(reads / 10);
        figure("consistent reads from the cache", served);
        figure("fallbacks", other);
        figure("slowest", slowest / 1_000_000 + " ms");
    }

    /** Reads four pages with a change between them, and compares them with the list before it. */
    private void readInPages(String path, JsonObject addedMeanwhile) throws Exception {
        Set<String> before = names(kube().get(path).orFail());
        assertThat(before).hasSize(OBJECTS);
        Set<String> seen = new TreeSet<>();
        String next = "";
        long version = 0;
        for (int page = 1; page <= 4; page++) {
            JsonObject list = kube().get(path + "?limit=" + PAGE + next).orFail();
            JsonObject metadata = KubeObjects.metadata(list);
            assertThat(KubeObjects.items(list)).hasSize(PAGE);
            JsonElement remaining = metadata.get("remainingItemCount");
            if (page == 1) {
                version = KubeObjects.resourceVersion(list);
                kube().create(path, addedMeanwhile).orFail();
                kube().delete(path + "/" + name(OBJECTS - 1)).orFail();
            }
            if (page < 4) {
                assertThat(remaining.getAsInt()).isEqualTo(OBJECTS - page * PAGE);
                next = "&continue=" + metadata.get("continue").getAsString();
            } else {
                assertThat(remaining).isNull();
                assertThat(metadata.has("continue")).isFalse();
            }
            assertThat(KubeObjects.resourceVersion(list)).isEqualTo(version);
            seen.addAll(names(list));
        }
        assertThat(seen).isEqualTo(before);
        assertThat(names(kube().get(path).orFail()))
                .hasSize(OBJECTS)
                .contains("added-meanwhile")
                .doesNotContain(name(OBJECTS - 1));
    }

    private void createAll(String path, ObjectOf object) throws Exception {
        var unused =
                inParallel(OBJECTS, i -> kube().create(path, object.number(i)).resourceVersion());
    }

    private static Set<String> names(JsonObject list) {
        return KubeObjects.items(list).stream()
                .map(KubeObjects::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Long> versionsOf(List<KubeWatch.Event> events, String... types) {
        return events.stream()
                .filter(event -> List.of(types).contains(event.type()))
                .map(KubeWatch.Event::resourceVersion)
                .collect(Collectors.toSet());
    }

    private static String name(int number) {
        return "object-%05d".formatted(number);
    }

    private interface ObjectOf {
        JsonObject number(int number);
    }
}
