package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.RangeRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Objects are created, replaced, deleted, listed and watched all the while, the kube-apiserver
 * compacts its store often, and the store is killed now and then.
 */
class KubeChurnTest extends KubeFixture {

    private static final Duration CHURN = Duration.ofSeconds(Form.size(20, 600));
    private static final int KILLS = Form.size(1, 3);
    private static final int OBJECTS = Form.size(300, 5_000);
    private static final int WRITERS = 6;
    private static final int INFORMERS = 2;
    private static final int COMPACTION_SECONDS = Form.size(5, 30);
    private static final Duration COMPACTED_MAX = Duration.ofMinutes(2);
    private static final Duration DOWN = Duration.ofSeconds(1);
    private static final String REGISTRY = "/registry/configmaps/churn/";

    @Override
    List<String> flags() {
        return List.of("--etcd-compaction-interval=" + COMPACTION_SECONDS + "s");
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void churnContinuesThroughCompactionsAndKills() throws Exception {
        createNamespace("churn");
        String path = core("churn", "configmaps");
        StoreFollower follower =
                new StoreFollower(store().target(), kube().get(path).resourceVersion());
        Readiness readiness = new Readiness(kube());
        KubeLister lister = new KubeLister(kube(), path);
        List<KubeInformer> informers = new ArrayList<>();
        for (int i = 0; i < INFORMERS; i++) {
            informers.add(new KubeInformer(kube(), path));
        }
        informers.forEach(KubeFixture::startThread);
        List.of(follower, lister, readiness).forEach(KubeFixture::startThread);
        long compactionsBefore = compactions();
        long started = System.nanoTime();
        KubeWriters writers = KubeWriters.start(kube(), path, WRITERS, OBJECTS * 10 / 9 / WRITERS);
        Duration slowest = Duration.ZERO;
        for (int kill = 1; kill <= KILLS; kill++) {
            sleepUntil(started + CHURN.toNanos() * kill / (KILLS + 1));
            readiness.killed();
            store().kill();
            Thread.sleep(DOWN.toMillis());
            store().start();
            readiness.restarted();
            Duration recovery = writers.awaitSuccesses();
            slowest = slowest.compareTo(recovery) < 0 ? recovery : slowest;
        }
        sleepUntil(started + CHURN.toNanos());
        writers.stop();
        readiness.stop();
        lister.stop();
        Map<String, Long> expected = writers.expected();
        for (KubeInformer informer : informers) {
            awaitSame(informer, expected);
            informer.stop();
        }
        assertThat(listed(path)).isEqualTo(expected);
        assertThat(inStore(REGISTRY)).isEqualTo(expected);
        int acknowledged = expectAcknowledged(writers, follower);
        long compactions = awaitCompactions(compactionsBefore);
        figure("churn s", CHURN.toSeconds());
        figure("objects", expected.size());
        figure("kill -9 of the store", KILLS);
        figure("acknowledged", acknowledged);
        figure("unanswered", writers.unanswered() + " (" + writers.landed() + " had happened)");
        figure("lost", 0);
        figure("slowest recovery", slowest.toMillis() + " ms");
        figure("compactions", compactions);
        figure("whole lists", lister.lists() + " (" + lister.interrupted() + " interrupted)");
        figure("informer lists", informers.stream().mapToInt(KubeInformer::lists).sum());
        figure("informer watches", informers.stream().mapToInt(KubeInformer::watches).sum());
        figure("watch errors", informers.stream().mapToInt(KubeInformer::errors).sum());
        figure("/readyz", readiness.asked() + " (" + readiness.notReady() + " not ok, in kills)");
        assertThat(readiness.outsideKills()).as("not ready outside of kills").isEmpty();
        assertThat(informers).extracting(KubeInformer::errors).containsOnly(0);
        assertThat(lister.failure()).isEmpty();
        assertThat(compactions).isPositive();
        assertThat(apiServer().isAlive()).as("the kube-apiserver started once").isTrue();
        figure("apiserver restarts", 0);
    }

    /** How many compactions there were since; waits for the first. */
    private long awaitCompactions(long before) throws InterruptedException {
        long deadline = System.nanoTime() + COMPACTED_MAX.toNanos();
        while (compactions() == before && System.nanoTime() < deadline) {
            Thread.sleep(500);
        }
        return compactions() - before;
    }

    /** How often the kube-apiserver has compacted its store: it keeps a count there. */
    private long compactions() {
        try (EtcdClient store = new EtcdClient(store().target())) {
            return store
                    .range(RangeRequest.newBuilder().setKey(Keys.of("compact_rev_key")).build())
                    .getKvsList()
                    .stream()
                    .mapToLong(kv -> kv.getVersion())
                    .sum();
        }
    }
}
