package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What goes away by itself: events at the end of their time, and history by compaction. */
class KubeHistoryTest extends KubeFixture {

    private static final int EVENTS = 40;
    private static final Duration TTL = Duration.ofSeconds(5);

    @Override
    List<String> flags() {
        return List.of(
                "--event-ttl=" + TTL.toSeconds() + "s",
                "--etcd-compaction-interval=5s",
                "--watch-cache-sizes=secrets#0");
    }

    @Test
    void eventsAreDeletedAtTheEndOfTheirTime() throws Exception {
        createNamespace("events");
        String path = core("events", "events");
        KubeWatch watch = kube().watch(path, kube().get(path).resourceVersion());
        Map<String, Long> created = new HashMap<>();
        for (int i = 0; i < EVENTS; i++) {
            created.put("e" + i, System.nanoTime());
            kube().create(path, KubeObjects.event("e" + i, "events")).orFail();
        }
        Set<String> added = new HashSet<>();
        long longest = 0;
        for (int deleted = 0; deleted < EVENTS; ) {
            KubeWatch.Event event = watch.take(1).get(0);
            if (event.type().equals("ADDED")) {
                added.add(event.name());
                continue;
            }
            assertThat(event.type()).isEqualTo("DELETED");
            assertThat(added).contains(event.name());
            long lived = System.nanoTime() - created.remove(event.name());
            assertThat(lived).isGreaterThanOrEqualTo(TTL.toNanos());
            longest = Math.max(longest, lived);
            deleted++;
        }
        watch.close();
        assertThat(KubeObjects.items(kube().get(path).orFail())).isEmpty();
        figure("events expired", EVENTS);
        figure("after at most", longest / 1_000_000 + " ms (TTL " + TTL.toSeconds() + " s)");
    }

    @Test
    void historyIsGoneAfterTheServersOwnCompaction() throws Exception {
        createNamespace("old");
        String path = core("old", "secrets");
        long old = kube().create(path, KubeObjects.secret("s", "0")).resourceVersion();
        awaitCompacted(path, old);
        KubeClient.Answer list =
                kube().get(path + "?resourceVersionMatch=Exact&resourceVersion=" + old);
        assertThat(list.status()).isEqualTo(410);
        assertThat(list.body().get("reason").getAsString()).isEqualTo("Expired");
        KubeWatch watch = kube().watch(path, old);
        KubeWatch.Event refused = watch.take(1).get(0);
        watch.close();
        assertThat(refused.type()).isEqualTo("ERROR");
        assertThat(refused.object().get("code").getAsInt()).isEqualTo(410);
        JsonObject secret = kube().get(path + "/s").orFail();
        assertThat(KubeObjects.name(secret)).isEqualTo("s");
        figure("compacted by the server", "410 for list and watch");
    }

    @Test
    void pageOfACompactedListIsRefusedAndCanBeStartedAgain() throws Exception {
        createNamespace("pages");
        String path = core("pages", "secrets");
        for (int i = 0; i < 10; i++) {
            kube().create(path, KubeObjects.secret("s" + i, "0")).orFail();
        }
        JsonObject first = kube().get(path + "?limit=4").orFail();
        awaitCompacted(path, KubeObjects.resourceVersion(first));
        String next = KubeObjects.metadata(first).get("continue").getAsString();
        KubeClient.Answer second = kube().get(path + "?limit=4&continue=" + next);
        assertThat(second.status()).isEqualTo(410);
        String inconsistent = KubeObjects.metadata(second.body()).get("continue").getAsString();
        JsonObject rest = kube().get(path + "?continue=" + inconsistent).orFail();
        assertThat(KubeObjects.items(rest))
                .extracting(KubeObjects::name)
                .containsExactly("s4", "s5", "s6", "s7", "s8", "s9", "ticker");
    }

    /** Writes now and then until the store itself says that it has compacted the revision. */
    private void awaitCompacted(String path, long revision) throws Exception {
        kube().create(path, KubeObjects.secret("ticker", "0")).orFail();
        try (EtcdClient store = new EtcdClient(store().target())) {
            RangeRequest then =
                    RangeRequest.newBuilder()
                            .setKey(Keys.of("/registry/health"))
                            .setRevision(revision)
                            .build();
            for (int i = 0; i < 120; i++) {
                try {
                    var unused = store.range(then);
                } catch (StatusRuntimeException e) {
                    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
                    return;
                }
                String text = "{'stringData':{'text':'t%d'}}".formatted(i);
                kube().patch(path + "/ticker", KubeObjects.json(text)).orFail();
                Thread.sleep(500);
            }
            throw new AssertionError("revision " + revision + " was not compacted in a minute");
        }
    }
}
