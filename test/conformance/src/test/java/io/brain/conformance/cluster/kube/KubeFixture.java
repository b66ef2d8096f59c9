package io.brain.conformance.cluster.kube;

import static io.brain.conformance.cluster.kube.KubeObjects.CORE;

import io.brain.conformance.cluster.ServerCommand;
import io.brain.conformance.cluster.ServerHome;
import io.brain.conformance.cluster.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    private final List<String> figures = new ArrayList<>();
    private Path directory;
    private ServerHome home;
    private ServerProcess store;
    private KubeApiServer apiServer;
    private KubeClient client;

    /** What this class adds to the kube-apiserver's flags. */
    abstract List<String> flags();

    @BeforeAll
    final void startServers(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path temporary)
            throws Exception {
        directory = temporary;
        home = ServerHome.fresh(directory.resolve("store"));
        store = ServerProcess.start(ServerCommand.underTest(), home);
        apiServer = KubeApiServer.start(directory.resolve("kube"), home.clientUrl(), flags());
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

    ServerHome storeHome() {
        return home;
    }

    /** {@code kill -9} of the store. */
    void killStore() {
        store.kill();
    }

    void startStore() throws Exception {
        store = ServerProcess.start(ServerCommand.underTest(), home);
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
