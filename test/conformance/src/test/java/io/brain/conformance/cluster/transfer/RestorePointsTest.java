package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.WatchResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Restores to random revisions and times from full backups and increments: each is the state of a
 * model that the load keeps. How many of each: {@code -Drestore.points}.
 */
@Tag("peer")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class RestorePointsTest {
    private static final int POINTS = Integer.getInteger("restore.points", Form.size(3, 100));
    private static final int SECONDS = Form.size(9, 130);
    private static final int BACKUPS = Form.size(6, 14);
    private static final int FULL_EVERY = 4;
    private static final int FIRST_CHANGES = 20;
    private static final int BUMPED = Form.size(1, 10);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final Random random = new Random();
    private Path backups;
    private HistoryModel model;

    /** The oldest revision that can be restored. */
    private long oldest;

    private Instant began;
    private Instant ended;

    @Test
    void eachPointIsThatOfTheModel() throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no backups");
        backups = directory.resolve("backups");
        load();
        int atTheEdge = 0;
        for (int i = 0; i < POINTS; i++) {
            toRevision();
            atTheEdge += toTime() ? 1 : 0;
        }
        for (int i = 0; i < BUMPED; i++) {
            aboveFormerRevisions();
        }
        System.out.printf(
                "summary: restored %d revisions of %d to %d and %d times of %d s, from %d backups;"
                        + " each equals the model; %d restores above the former revisions;"
                        + " times with a commit in flight at their end: %d%n",
                POINTS,
                oldest,
                model.newest(),
                POINTS,
                Duration.between(began, ended).toSeconds(),
                BACKUPS,
                BUMPED,
                atTheEdge);
    }

    private void load() throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("server"));
        try (ServerProcess server = ServerProcess.start(ServerCommand.underTest(), home);
                EtcdClient client = new EtcdClient(server.home().target())) {
            ModelledLoad load = new ModelledLoad(client, random.nextLong());
            model = load.model();
            for (int i = 0; i < FIRST_CHANGES; i++) {
                load.change(); // so that there is something to restore at each time
            }
            began = Instant.now();
            long start = System.nanoTime();
            long compacted = 0;
            for (int backup = 1; backup <= BACKUPS; backup++) {
                long until = start + TimeUnit.SECONDS.toNanos(SECONDS) * backup / BACKUPS;
                while (System.nanoTime() < until) {
                    load.change();
                }
                ended = Instant.now();
                boolean full = backup % FULL_EVERY == 1;
                String printed =
                        Programs.brainDone(
                                "backup",
                                backups.toString(),
                                "--endpoints=" + home.clientUrl(),
                                "--full-every=" + (full ? "0" : "1d"));
                assertThat(printed).contains(full ? " full " : " increment ");
                if (backup == 1) {
                    oldest = 2;
                } else if (full) {
                    compacted = Math.max(compacted + 1, model.newest() - random.nextInt(50));
                    client.compact(compacted);
                }
            }
        }
    }

    private void toRevision() throws Exception {
        long revision = oldest + random.nextLong(model.newest() - oldest + 1);
        Restored restored = restore("--rev=" + revision, "--exact-revisions");
        assertThat(restored.revision()).isEqualTo(revision);
        assertThat(restored.keys()).as("revision %d", revision).isEqualTo(model.at(revision));
    }

    /** Restores to a random second; true if more than one revision would be right. */
    private boolean toTime() throws Exception {
        long seconds = Duration.between(began, ended).toSeconds() - 1;
        Instant time = began.plusSeconds(random.nextLong(seconds));
        long end = (time.getEpochSecond() + 1) * 1000;
        Restored restored =
                restore(
                        "--time=" + Instant.ofEpochSecond(time.getEpochSecond()),
                        "--exact-revisions");
        long lowest = model.surelyBefore(end);
        long highest = model.maybeBefore(end);
        assertThat(restored.revision()).as("at %s", time).isBetween(lowest, highest);
        assertThat(restored.keys()).as("at %s", time).isEqualTo(model.at(restored.revision()));
        return lowest < highest;
    }

    /** By default a watcher of the former cluster learns that it has missed changes. */
    private void aboveFormerRevisions() throws Exception {
        long revision = oldest + random.nextLong(model.newest() - oldest + 1);
        ServerHome home = ServerHome.fresh(directory.resolve("restored-" + System.nanoTime()));
        Programs.brainDone(
                "restore", backups.toString(), "--data-dir=" + home.data(), "--rev=" + revision);
        try (ServerProcess server = ServerProcess.start(shortLived(), home);
                EtcdClient client = new EtcdClient(server.home().target());
                WatchFeed feed = WatchFeed.ofEverything(client.channel(), model.newest() + 1)) {
            assertThat(client.revision()).isEqualTo(revision + 1_000_000_000);
            assertThat(client.all().getKvsList()).isEqualTo(model.at(revision));
            assertThat(awaitCanceled(feed)).isEqualTo(revision + 1_000_000_000);
        }
    }

    /** Waits for the cancellation of a watcher; returns the compact revision in it. */
    private static long awaitCanceled(WatchFeed feed) throws InterruptedException {
        List<WatchResponse> responses = new ArrayList<>();
        while (true) {
            Optional<WatchResponse> response = feed.next(ANSWER_MAX);
            assertThat(response).as("after %s", responses).isPresent();
            responses.add(response.get());
            assertThat(response.get().getEventsList()).isEmpty();
            if (response.get().getCanceled()) {
                return response.get().getCompactRevision();
            }
        }
    }

    private record Restored(long revision, List<KeyValue> keys) {}

    private Restored restore(String... point) throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("restored-" + System.nanoTime()));
        List<String> words = new ArrayList<>();
        words.addAll(List.of("restore", backups.toString(), "--data-dir=" + home.data()));
        words.addAll(List.of(point));
        Programs.brainDone(words.toArray(String[]::new));
        try (ServerProcess server = ServerProcess.start(shortLived(), home);
                EtcdClient client = new EtcdClient(server.home().target())) {
            return new Restored(client.revision(), client.all().getKvsList());
        }
    }

    private static ServerCommand shortLived() {
        return ServerCommand.underTest().shortLived();
    }
}
