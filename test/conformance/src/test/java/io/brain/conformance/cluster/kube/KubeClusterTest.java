package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.Form;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A kube-apiserver on three servers over TiKV whose leader is killed every half minute: it goes on,
 * and reads no list again, because no revision is lost.
 */
@Isolated
class KubeClusterTest extends KubeFixture {

    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(30);
    private static final int KILLS = Form.size(1, 10);
    private static final int WRITERS = 4;
    private static final int OBJECTS = 200;
    private static final int INFORMERS = 2;
    private static final Duration DOWN = Duration.ofSeconds(8);
    private static final String REGISTRY = "/registry/configmaps/cluster/";

    @Override
    List<String> flags() {
        return List.of();
    }

    @Override
    KubeStore openStore(Path directory) throws Exception {
        return new ClusterStore(Files.createDirectories(directory));
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aKubeApiServerSurvivesItsStoresLeaders() throws Exception {
        createNamespace("cluster");
        String path = core("cluster", "configmaps");
        StoreFollower follower =
                new StoreFollower(store().target(), kube().get(path).resourceVersion());
        List<KubeInformer> informers = new ArrayList<>();
        for (int i = 0; i < INFORMERS; i++) {
            informers.add(new KubeInformer(kube(), path));
        }
        informers.forEach(KubeFixture::startThread);
        startThread(follower);
        KubeWriters writers = KubeWriters.start(kube(), path, WRITERS, OBJECTS / WRITERS);
        Duration unused = writers.awaitSuccesses();
        double listsBefore = cacheLists();
        Duration slowest = Duration.ZERO;
        long started = System.nanoTime();
        for (int kill = 1; kill <= KILLS; kill++) {
            store().kill();
            Duration recovery = writers.awaitSuccesses();
            slowest = slowest.compareTo(recovery) < 0 ? recovery : slowest;
            sleepUntil(started + BETWEEN_KILLS.multipliedBy(kill).minus(DOWN).toNanos());
            store().start();
            sleepUntil(started + BETWEEN_KILLS.multipliedBy(kill).toNanos());
            assertThat(apiServer().isAlive()).as("the kube-apiserver lives").isTrue();
        }
        writers.stop();
        Map<String, Long> expected = writers.expected();
        for (KubeInformer informer : informers) {
            awaitSame(informer, expected);
            informer.stop();
        }
        assertThat(listed(path)).isEqualTo(expected);
        assertThat(inStore(REGISTRY)).isEqualTo(expected);
        int acknowledged = expectAcknowledged(writers, follower);
        double listsOfCaches = cacheLists() - listsBefore;
        figure("on three servers, s", BETWEEN_KILLS.multipliedBy(KILLS).toSeconds());
        figure("kill -9 of the leader", KILLS);
        figure("acknowledged", acknowledged);
        figure("unanswered", writers.unanswered() + " (" + writers.landed() + " had happened)");
        figure("lost", 0);
        figure("slowest recovery", slowest.toMillis() + " ms");
        figure("lists that its caches read again", (long) listsOfCaches);
        figure("informer lists", informers.stream().mapToInt(KubeInformer::lists).sum());
        figure("watch errors", informers.stream().mapToInt(KubeInformer::errors).sum());
        assertThat(informers).extracting(KubeInformer::errors).containsOnly(0);
        assertThat(informers).extracting(KubeInformer::lists).containsOnly(1);
        assertThat(listsOfCaches).as("lists that a cache read again").isZero();
        assertThat(kube().text("/readyz")).isEqualTo("ok");
        assertThat(apiServer().isAlive()).as("the kube-apiserver started once").isTrue();
        figure("apiserver restarts", 0);
    }

    /** How many lists all the caches of the kube-apiserver have been filled from. */
    private double cacheLists() throws Exception {
        return kube().text("/metrics")
                .lines()
                .filter(line -> line.startsWith("apiserver_watch_cache_initializations_total{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
