package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.cluster.transfer.PacedPuts;
import io.brain.conformance.cluster.transfer.Programs;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A kube-apiserver uses a standby of an etcd. The cluster moves to the standby, and back to the
 * etcd, under writes: no write fails, no informer lists again, and no watcher misses an event.
 */
class KubeMigrationTest extends KubeFixture {
    private static final int INFORMERS = Form.size(10, 100);
    private static final int WATCHERS = Form.size(50, 1_000);
    private static final int PUTS_PER_SECOND = Form.size(300, 1_000);
    private static final int SECONDS = Form.size(3, 20);
    private static final int KEYS = 1_000;
    private static final int VALUE_BYTES = 100;
    private static final int WRITERS = 2;
    private static final int WRITER_OBJECTS = 50;
    private static final int BEFORE_CUTOVER = 100;
    private static final Pattern MOVED =
            Pattern.compile("moved at revision (\\d+): hash (\\d+).* writes waited (\\d+) ms");
    private static final Pattern BACK =
            Pattern.compile("cut over at revision (\\d+): hash (\\d+).* (\\d+) ms after");

    private MovingStore moving;

    @BeforeAll
    static void requireStandby() {
        Assumptions.assumeFalse(ServerCommand.underTest().isEtcd(), "etcd is no standby");
        Peer.ETCD.require();
    }

    @Override
    List<String> flags() {
        return List.of();
    }

    @Override
    KubeStore openStore(Path directory) throws Exception {
        moving = new MovingStore(directory);
        return moving;
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void theClusterMovesToTheStandbyAndBack() throws Exception {
        createNamespace("moved");
        String path = core("moved", "configmaps");
        StoreFollower follower =
                new StoreFollower(store().target(), kube().get(path).resourceVersion());
        startThread(follower);
        List<KubeInformer> informers = new ArrayList<>();
        for (int i = 0; i < INFORMERS; i++) {
            informers.add(new KubeInformer(kube(), path));
        }
        informers.forEach(KubeFixture::startThread);
        KubeWriters writers = KubeWriters.start(kube(), path, WRITERS, WRITER_OBJECTS);
        try (EtcdClient client = new EtcdClient(store().target())) {
            PacedPuts puts = new PacedPuts(client, KEYS, VALUE_BYTES, PUTS_PER_SECOND);
            puts.fill();
            puts.start();
            TimeUnit.SECONDS.sleep(SECONDS);
            long began = System.nanoTime();
            Matcher moved = done(MOVED, "migrate", "--endpoints=" + store().urls(), "--cutover");
            long last = Long.parseLong(moved.group(1));
            long watched = requireResumed(client, last - BEFORE_CUTOVER);
            figure("revision of the cutover", last);
            figure("writes waited, ms", moved.group(3));
            figure(WATCHERS + " watches resumed before the cutover saw each once", watched);
            TimeUnit.SECONDS.sleep(SECONDS);
            puts.stop();
            figure("puts around it", puts.times(began, at -> true));
            assertThat(puts.failed()).as("failed puts").isZero();
            requireEqual(last);
        }
        writers.awaitSuccesses();
        moveBack(writers);
        assertThat(listed(path)).isEqualTo(writers.expected());
        expectAcknowledged(writers, follower);
        for (KubeInformer informer : informers) {
            awaitSame(informer, listed(path));
        }
        informers.forEach(KubeInformer::stop);
        assertThat(informers).extracting(KubeInformer::lists).containsOnly(1);
        assertThat(informers).extracting(KubeInformer::errors).containsOnly(0);
        assertThat(informers).allMatch(informer -> informer.failure().isEmpty());
        figure("informers", INFORMERS);
        figure("lists of each", 1);
    }

    /** The etcd follows; when the writers have ended, the cluster moves to it. */
    private void moveBack(KubeWriters writers) throws Exception {
        String from = "--from=" + store().urls();
        String to = "--to=" + moving.source().clientUrl();
        Process back = Programs.startBrain("migrate", "--back", from, to);
        try {
            TimeUnit.SECONDS.sleep(2L * SECONDS);
        } finally {
            back.descendants().forEach(ProcessHandle::destroyForcibly);
            back.destroyForcibly().onExit().join();
        }
        writers.stop();
        Matcher moved = done(BACK, "migrate", "--back", from, to, "--cutover");
        long last = Long.parseLong(moved.group(1));
        figure("revision of the way back", last);
        figure("from its fence to its end, ms", moved.group(3));
        requireEqual(last);
        try (EtcdClient etcd = new EtcdClient(moving.source().target())) {
            long next = etcd.put(Keys.of("after"), Keys.of("1")).getHeader().getRevision();
            assertThat(next).isEqualTo(last + 1);
        }
    }

    private static Matcher done(Pattern pattern, String... words) throws Exception {
        String text = Programs.brainDone(words);
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher;
    }

    private void requireEqual(long revision) throws Exception {
        String text =
                Programs.brainDone(
                        "verify", moving.source().clientUrl(), store().urls(), "--rev=" + revision);
        assertThat(text).contains("equal at revision " + revision);
    }

    /** Watches all keys from a revision on, many times; returns the number of revisions. */
    private static long requireResumed(EtcdClient client, long from) throws Exception {
        long newest = client.revision();
        List<WatchFeed> feeds = new ArrayList<>();
        for (int i = 0; i < WATCHERS; i++) {
            feeds.add(WatchFeed.ofEverything(client.channel(), from));
        }
        for (WatchFeed feed : feeds) {
            long seen = from - 1;
            while (seen < newest) {
                Optional<WatchResponse> response = feed.next(Duration.ofSeconds(30));
                assertThat(response).as("an event after " + seen).isPresent();
                for (Event event : response.get().getEventsList()) {
                    assertThat(event.getKv().getModRevision()).isEqualTo(seen + 1);
                    seen++;
                }
            }
            feed.close();
        }
        return newest - from + 1;
    }
}
