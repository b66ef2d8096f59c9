package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Several writers of config maps at work at once, and their account. For one thread. */
final class KubeWriters {

    private static final int SUCCESSES = 5;
    private static final Duration SUCCESSES_MAX = Duration.ofMinutes(2);

    private final List<KubeWriter> writers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Starts them.
     *
     * @param path of the config maps of a namespace
     * @param objectsMax how many each of them keeps
     */
    static KubeWriters start(KubeClient kube, String path, int count, int objectsMax) {
        KubeWriters all = new KubeWriters();
        for (int i = 0; i < count; i++) {
            KubeWriter writer = new KubeWriter(kube, path, "w" + i, objectsMax, new Random(i));
            Thread thread = new Thread(writer, "kube-writer-" + i);
            thread.setDaemon(true);
            thread.start();
            all.writers.add(writer);
            all.threads.add(thread);
        }
        return all;
    }

    /** Waits until every writer has succeeded a few times again; returns how long that took. */
    Duration awaitSuccesses() throws InterruptedException {
        long started = System.nanoTime();
        List<Integer> before = writers.stream().map(KubeWriter::successes).toList();
        for (int i = 0; i < writers.size(); i++) {
            while (writers.get(i).successes() < before.get(i) + SUCCESSES) {
                writers.get(i)
                        .failure()
                        .ifPresent(
                                e -> {
                                    throw new AssertionError(e);
                                });
                Duration waited = Duration.ofNanos(System.nanoTime() - started);
                assertThat(waited).as("the kube-apiserver goes on").isLessThan(SUCCESSES_MAX);
                Thread.sleep(20);
            }
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** Ends them, and fails if one of them has failed. The rest is for after that. */
    void stop() throws InterruptedException {
        writers.forEach(KubeWriter::stop);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(writers).extracting(KubeWriter::failure).allMatch(failure -> failure.isEmpty());
    }

    /** What the writers were told is there: names and resource versions. */
    Map<String, Long> expected() {
        Map<String, Long> all = new TreeMap<>();
        for (KubeWriter writer : writers) {
            writer.objects().forEach((name, state) -> all.put(name, state.resourceVersion()));
        }
        return all;
    }

    /** Every acknowledged create and replace is an event of this history; returns how many. */
    int expectAcknowledged(Map<Long, String> history) {
        int acknowledged = 0;
        for (KubeWriter writer : writers) {
            for (KubeWriter.Acknowledged write : writer.acknowledged()) {
                assertThat(history.get(write.resourceVersion())).isEqualTo(write.name());
                acknowledged++;
            }
        }
        return acknowledged;
    }

    int unanswered() {
        return writers.stream().mapToInt(KubeWriter::unanswered).sum();
    }

    int landed() {
        return writers.stream().mapToInt(KubeWriter::landed).sum();
    }
}
