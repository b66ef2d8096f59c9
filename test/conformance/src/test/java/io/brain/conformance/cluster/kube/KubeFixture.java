package io.brain.conformance.cluster.kube;

import static io.brain.conformance.cluster.kube.KubeObjects.CORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A store and a kube-apiserver on it for all tests of a class. */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
abstract class KubeFixture {

    private static final int CLIENTS = 8;
    private static final Duration SAME_MAX = Duration.ofMinutes(2);

    /** A busy machine's store may answer late: by default after 2 s it is not ready. */
    private static final List<String> PATIENT =
            List.of("--etcd-healthcheck-timeout=10s", "--etcd-readycheck-timeout=10s");

    private final List<String> figures = new ArrayList<>();
    private Path directory;
    private KubeStore store;
    private KubeApiServer apiServer;
    private KubeClient client;

    /** What this class adds to the kube-apiserver's flags. */
    abstract List<String> flags();

    /** The store; one server where a class does not say otherwise. */
    KubeStore openStore(Path directory) throws Exception {
        return new SingleStore(directory);
    }

    @BeforeAll
    final void startServers(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path temporary)
            throws Exception {
        directory = temporary;
        store = openStore(directory.resolve("store"));
        List<String> flags = new ArrayList<>(PATIENT);
        flags.addAll(flags());
        apiServer = KubeApiServer.start(directory.resolve("kube"), store.urls(), flags);
        client = new KubeClient(apiServer);
    }

    @AfterAll
    final void stopServers() {
        if (apiServer != null) {
            apiServer.close();
        }
        if (store != null) {
            store.close();
        }
        System.out.println("summary: kube-apiserver, " + String.join(", ", figures));
    }

    KubeClient kube() {
        return client;
    }

    KubeApiServer apiServer() {
        return apiServer;
    }

    KubeStore store() {
        return store;
    }

    /** A figure for the summary line. */
    void figure(String name, Object value) {
        figures.add(name + " " + value);
    }

    /** The path of a namespaced core resource. */
    static String core(String namespace, String resource) {
        return CORE + "/namespaces/" + namespace + "/" + resource;
    }

    void createNamespace(String name) throws Exception {
        client.create(CORE + "/namespaces", KubeObjects.namespace(name)).orFail();
    }

    /** Waits until the kube-apiserver says that it is ready. */
    void awaitReady() throws Exception {
        long deadline = System.nanoTime() + SAME_MAX.toNanos();
        String answer = client.text("/readyz");
        while (!answer.equals("ok") && System.nanoTime() < deadline) {
            Thread.sleep(500);
            answer = client.text("/readyz");
        }
        assertThat(answer).isEqualTo("ok");
    }

    static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
    }

    static void startThread(Runnable work) {
        Thread thread = new Thread(work, work.getClass().getSimpleName());
        thread.setDaemon(true);
        thread.start();
    }

    /** The objects of a list, all in one page, and their resource versions. */
    Map<String, Long> listed(String path) throws Exception {
        Map<String, Long> listed = new TreeMap<>();
        KubeObjects.items(client.get(path).orFail())
                .forEach(o -> listed.put(KubeObjects.name(o), KubeObjects.resourceVersion(o)));
        return listed;
    }

    /** The objects below a prefix of the store's keys, and their modification revisions. */
    Map<String, Long> inStore(String prefix) {
        Map<String, Long> stored = new TreeMap<>();
        try (EtcdClient direct = new EtcdClient(store.target())) {
            RangeRequest all =
                    RangeRequest.newBuilder()
                            .setKey(Keys.of(prefix))
                            .setRangeEnd(Keys.prefixEnd(Keys.of(prefix)))
                            .build();
            for (KeyValue kv : direct.range(all).getKvsList()) {
                stored.put(nameOf(kv.getKey().toStringUtf8()), kv.getModRevision());
            }
        }
        return stored;
    }

    /** The last part of a key of the store. */
    static String nameOf(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }

    /** Every acknowledged write was an event, and no revision is missing between them. */
    int expectAcknowledged(KubeWriters writers, StoreFollower follower)
            throws InterruptedException {
        try (EtcdClient direct = new EtcdClient(store.target())) {
            long newest = direct.revision();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (follower.seen() < newest && System.nanoTime() < deadline) {
                assertThat(follower.failure()).isEmpty();
                Thread.sleep(50);
            }
            assertThat(follower.seen()).isGreaterThanOrEqualTo(newest);
        }
        follower.stop();
        assertThat(follower.failure()).isEmpty();
        return writers.expectAcknowledged(follower.history());
    }

    /** Waits until an informer knows exactly these objects. */
    static void awaitSame(KubeInformer informer, Map<String, Long> expected)
            throws InterruptedException {
        long deadline = System.nanoTime() + SAME_MAX.toNanos();
        while (System.nanoTime() < deadline && !informer.objects().equals(expected)) {
            informer.failure()
                    .ifPresent(
                            e -> {
                                throw new AssertionError(e);
                            });
            Thread.sleep(50);
        }
        assertThat(informer.objects()).isEqualTo(expected);
    }

    /** Runs the numbered tasks on a few clients at once; returns the results in order. */
    static <T> List<T> inParallel(int tasks, Task<T> task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Callable<T>> calls = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                int number = i;
                calls.add(() -> task.run(number));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : pool.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    /** One of many tasks alike. */
    interface Task<T> {
        T run(int number) throws Exception;
    }
}
