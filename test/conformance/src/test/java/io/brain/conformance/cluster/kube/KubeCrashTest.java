package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.Keys;
import io.brain.conformance.cluster.WatchFeed;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The store is killed under a kube-apiserver that is writing; the kube-apiserver goes on. */
class KubeCrashTest extends KubeFixture {

    private static final int KILLS = Form.size(2, 12);
    private static final int WRITERS = 6;
    private static final int SUCCESSES_AFTER_A_KILL = 5;
    private static final Duration RECOVERY_MAX = Duration.ofMinutes(2);
    private static final String REGISTRY = "/registry/configmaps/crash/";

    private final Random random = new Random();
    private final List<KubeWriter> writers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

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
        for (int i = 0; i < WRITERS; i++) {
            KubeWriter writer = new KubeWriter(kube(), path, "w" + i, new Random(i));
            writers.add(writer);
            startThread(writer);
        }
        Duration slowest = Duration.ZERO;
        for (int kill = 0; kill < KILLS; kill++) {
            Thread.sleep(1_000 + random.nextInt(2_000));
            killStore();
            Thread.sleep(random.nextInt(1_500));
            startStore();
            Duration recovery = awaitSuccesses();
            slowest = slowest.compareTo(recovery) < 0 ? recovery : slowest;
            assertThat(apiServer().isAlive()).isTrue();
        }
        writers.forEach(KubeWriter::stop);
        for (Thread writer : threads.subList(1, threads.size())) {
            writer.join();
        }
        assertThat(writers).allMatch(writer -> writer.failure().isEmpty());
        Map<String, Long> expected = expected();
        awaitSame(informer, expected);
        informer.stop();
        assertThat(names(path)).isEqualTo(expected);
        assertThat(inStore()).isEqualTo(expected);
        int acknowledged = expectInHistory(start);
        assertThat(kube().text("/readyz")).isEqualTo("ok");
        figure("kill -9 of the store", KILLS);
        figure("acknowledged", acknowledged);
        figure("unanswered", writers.stream().mapToInt(KubeWriter::unanswered).sum());
        figure("of which had happened", writers.stream().mapToInt(KubeWriter::landed).sum());
        figure("lost", 0);
        figure("slowest recovery", slowest.toMillis() + " ms");
        figure("informer lists", informer.lists());
        figure("informer watches", informer.watches());
    }

    /** Waits until every writer has succeeded a few times again; returns how long that took. */
    private Duration awaitSuccesses() throws InterruptedException {
        long started = System.nanoTime();
        List<Integer> before = writers.stream().map(KubeWriter::successes).toList();
        for (int i = 0; i < writers.size(); i++) {
            while (writers.get(i).successes() < before.get(i) + SUCCESSES_AFTER_A_KILL) {
                writers.get(i).failure().ifPresent(e -> fail(e));
                Duration waited = Duration.ofNanos(System.nanoTime() - started);
                assertThat(waited).as("the kube-apiserver goes on").isLessThan(RECOVERY_MAX);
                Thread.sleep(20);
            }
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** What the writers were told is there. */
    private Map<String, Long> expected() {
        Map<String, Long> all = new TreeMap<>();
        for (KubeWriter writer : writers) {
            writer.objects().forEach((name, state) -> all.put(name, state.resourceVersion()));
        }
        return all;
    }

    private static void awaitSame(KubeInformer informer, Map<String, Long> expected)
            throws InterruptedException {
        long deadline = System.nanoTime() + RECOVERY_MAX.toNanos();
        while (System.nanoTime() < deadline && !informer.objects().equals(expected)) {
            informer.failure().ifPresent(e -> fail(e));
            Thread.sleep(50);
        }
        assertThat(informer.objects()).isEqualTo(expected);
    }

    private Map<String, Long> names(String path) throws Exception {
        Map<String, Long> listed = new TreeMap<>();
        KubeObjects.items(kube().get(path).orFail())
                .forEach(o -> listed.put(KubeObjects.name(o), KubeObjects.resourceVersion(o)));
        return listed;
    }

    private Map<String, Long> inStore() {
        Map<String, Long> stored = new TreeMap<>();
        try (EtcdClient store = new EtcdClient(storeHome().target())) {
            RangeRequest all =
                    RangeRequest.newBuilder()
                            .setKey(Keys.of(REGISTRY))
                            .setRangeEnd(Keys.prefixEnd(Keys.of(REGISTRY)))
                            .build();
            store.range(all)
                    .getKvsList()
                    .forEach(
                            kv ->
                                    stored.put(
                                            name(kv.getKey().toStringUtf8()), kv.getModRevision()));
        }
        return stored;
    }

    /** Every acknowledged create and replace is an event of the store's history. */
    private int expectInHistory(long start) throws InterruptedException {
        Map<Long, String> history = new HashMap<>();
        try (EtcdClient store = new EtcdClient(storeHome().target());
                WatchFeed feed = WatchFeed.ofEverything(store.channel(), start + 1)) {
            long newest = store.revision();
            for (long seen = start; seen < newest; ) {
                WatchResponse response = feed.next(Duration.ofMinutes(1)).orElseThrow();
                for (Event event : response.getEventsList()) {
                    seen = event.getKv().getModRevision();
                    history.put(seen, name(event.getKv().getKey().toStringUtf8()));
                }
            }
        }
        int acknowledged = 0;
        for (KubeWriter writer : writers) {
            for (KubeWriter.Acknowledged write : writer.acknowledged()) {
                assertThat(history.get(write.resourceVersion())).isEqualTo(write.name());
                acknowledged++;
            }
        }
        return acknowledged;
    }

    private static String name(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }

    private static void fail(Throwable cause) {
        throw new AssertionError(cause);
    }

    private void startThread(Runnable work) {
        Thread thread = new Thread(work, work.getClass().getSimpleName());
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }
}
