package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.WatchFeed;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The store is killed under a kube-apiserver that is writing; the kube-apiserver goes on. */
class KubeCrashTest extends KubeFixture {

    private static final int KILLS = Form.size(2, 12);
    private static final int WRITERS = 6;
    private static final int OBJECTS = 20;
    private static final String REGISTRY = "/registry/configmaps/crash/";

    private final Random random = new Random();

    @Override
    List<String> flags() {
        return List.of();
    }

    @Test
    void nothingAcknowledgedIsLostWhenTheStoreIsKilled() throws Exception {
        createNamespace("crash");
        String path = core("crash", "configmaps");
        long start = kube().get(path).resourceVersion();
        KubeInformer informer = new KubeInformer(kube(), path);
        startThread(informer);
        KubeWriters writers = KubeWriters.start(kube(), path, WRITERS, OBJECTS);
        Duration slowest = Duration.ZERO;
        for (int kill = 0; kill < KILLS; kill++) {
            Thread.sleep(1_000 + random.nextInt(2_000));
            store().kill();
            Thread.sleep(random.nextInt(1_500));
            store().start();
            Duration recovery = writers.awaitSuccesses();
            slowest = slowest.compareTo(recovery) < 0 ? recovery : slowest;
            assertThat(apiServer().isAlive()).isTrue();
        }
        writers.stop();
        Map<String, Long> expected = writers.expected();
        awaitSame(informer, expected);
        informer.stop();
        assertThat(listed(path)).isEqualTo(expected);
        assertThat(inStore(REGISTRY)).isEqualTo(expected);
        int acknowledged = expectInHistory(writers, start);
        awaitReady();
        figure("kill -9 of the store", KILLS);
        figure("acknowledged", acknowledged);
        figure("unanswered", writers.unanswered());
        figure("of which had happened", writers.landed());
        figure("lost", 0);
        figure("slowest recovery", slowest.toMillis() + " ms");
        figure("informer lists", informer.lists());
        figure("informer watches", informer.watches());
    }

    /** Every acknowledged create and replace is an event of the store's history. */
    private int expectInHistory(KubeWriters writers, long start) throws InterruptedException {
        Map<Long, String> history = new HashMap<>();
        try (EtcdClient store = new EtcdClient(store().target());
                WatchFeed feed = WatchFeed.ofEverything(store.channel(), start + 1)) {
            long newest = store.revision();
            for (long seen = start; seen < newest; ) {
                WatchResponse response = feed.next(Duration.ofMinutes(1)).orElseThrow();
                for (Event event : response.getEventsList()) {
                    seen = event.getKv().getModRevision();
                    history.put(seen, nameOf(event.getKv().getKey().toStringUtf8()));
                }
            }
        }
        return writers.expectAcknowledged(history);
    }
}
