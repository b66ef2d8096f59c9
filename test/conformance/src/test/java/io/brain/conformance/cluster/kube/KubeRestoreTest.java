package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.transfer.Programs;
import io.brain.conformance.server.ServerCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A namespace of a running kube-apiserver's store is restored from backups, while informers follow
 * it and others write to another namespace.
 */
class KubeRestoreTest extends KubeFixture {
    private static final int OBJECTS = Form.size(200, 2_000);
    private static final int ROUNDS = Form.size(2, 10);
    private static final int INFORMERS = 3;
    private static final int WRITERS = 2;
    private static final int WRITER_OBJECTS = 50;
    private static final String PREFIX = "/registry/configmaps/back/";
    private static final Pattern DONE = Pattern.compile("did (\\d+) puts and (\\d+) deletes");

    private final Random random = new Random();
    private final String back = core("back", "configmaps");

    /** What each object held, by revision of the backup. */
    private final Map<Long, Map<String, String>> backedUp = new TreeMap<>();

    private int restored;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path backups;

    @BeforeEach
    void requireBackups() {
        Assumptions.assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no backups");
    }

    @Override
    List<String> flags() {
        return List.of();
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void informersFollowARestoreWithoutANewList() throws Exception {
        createNamespace("back");
        createNamespace("live");
        inParallel(OBJECTS, i -> kube().create(back, KubeObjects.configMap("o" + i, "first")));
        StoreFollower follower =
                new StoreFollower(store().target(), kube().get(back).resourceVersion());
        startThread(follower);
        List<KubeInformer> informers = new ArrayList<>();
        for (int i = 0; i < INFORMERS; i++) {
            informers.add(new KubeInformer(kube(), back));
        }
        informers.forEach(KubeFixture::startThread);
        KubeWriters writers =
                KubeWriters.start(kube(), core("live", "configmaps"), WRITERS, WRITER_OBJECTS);
        backUp();
        for (int round = 0; round < ROUNDS; round++) {
            disturb(round);
            backUp();
            List<Long> revisions = List.copyOf(backedUp.keySet());
            restore(revisions.get(random.nextInt(revisions.size() - 1)));
            for (KubeInformer informer : informers) {
                awaitSame(informer, listed(back));
            }
        }
        writers.stop();
        assertThat(listed(core("live", "configmaps"))).isEqualTo(writers.expected());
        expectAcknowledged(writers, follower);
        informers.forEach(KubeInformer::stop);
        assertThat(informers).extracting(KubeInformer::lists).containsOnly(1);
        assertThat(informers).extracting(KubeInformer::errors).containsOnly(0);
        assertThat(informers).allMatch(informer -> informer.failure().isEmpty());
        assertThat(apiServer().isAlive()).isTrue();
        figure("restores of a prefix", ROUNDS);
        figure("keys restored", restored);
        figure("informers", INFORMERS);
        figure("lists of each", 1);
        figure("informers that missed an event", 0);
        figure("revisions seen once and in order by a watcher", follower.history().size());
    }

    private void backUp() throws Exception {
        Programs.brainDone("backup", backups.toString(), "--endpoints=" + store().urls());
        long revision = 0;
        for (String line :
                Programs.brainDone("backup", backups.toString(), "--list").split("\n", -1)) {
            Matcher range = Pattern.compile("revisions=\\d+\\.\\.(\\d+)").matcher(line);
            revision = range.find() ? Long.parseLong(range.group(1)) : revision;
        }
        backedUp.put(revision, held());
    }

    /** What the objects hold, by name. */
    private Map<String, String> held() throws Exception {
        Map<String, String> held = new TreeMap<>();
        KubeObjects.items(kube().get(back).orFail())
                .forEach(o -> held.put(KubeObjects.name(o), KubeObjects.seq(o)));
        return held;
    }

    /** Replaces some objects, deletes some, creates some. */
    private void disturb(int round) throws Exception {
        List<String> names = List.copyOf(held().keySet());
        inParallel(
                names.size(),
                i -> {
                    String path = back + "/" + names.get(i);
                    JsonObject changed = KubeObjects.configMap(names.get(i), "changed" + round);
                    return switch (i % 3) {
                        case 0 -> kube().delete(path).orFail();
                        case 1 -> kube().replace(path, changed).orFail();
                        default -> changed;
                    };
                });
        inParallel(
                OBJECTS / 10,
                i -> kube().create(back, KubeObjects.configMap("n" + round + "-" + i, "new")));
    }

    private void restore(long revision) throws Exception {
        String[] words = {
            "restore",
            backups.toString(),
            "--endpoints=" + store().urls(),
            "--prefix=" + PREFIX,
            "--rev=" + revision
        };
        String[] dry = java.util.Arrays.copyOf(words, words.length + 1);
        dry[words.length] = "--dry-run";
        long before = newest();
        String counted = Programs.brainDone(dry);
        Map<String, Long> changedBefore = inStore(PREFIX);
        Matcher done = DONE.matcher(Programs.brainDone(words));
        assertThat(done.find()).isTrue();
        assertThat(counted).contains(done.group().replace("did", "would do"));
        int puts = Integer.parseInt(done.group(1));
        Map<String, Long> changed = inStore(PREFIX);
        Map<Long, Integer> perRevision = new TreeMap<>();
        changed.forEach(
                (name, at) -> {
                    if (!at.equals(changedBefore.get(name))) {
                        assertThat(at).isGreaterThan(before);
                        perRevision.merge(at, 1, Integer::sum);
                    }
                });
        assertThat(perRevision.values().stream().mapToInt(i -> i).sum()).isEqualTo(puts);
        // An informer that is disconnected continues after a revision: it must be of one key.
        assertThat(perRevision.values()).containsOnly(1);
        assertThat(held()).isEqualTo(backedUp.get(revision));
        restored += puts + Integer.parseInt(done.group(2));
    }

    private long newest() {
        try (EtcdClient direct = new EtcdClient(store().target())) {
            return direct.revision();
        }
    }
}
