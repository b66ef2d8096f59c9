package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} at a random moment of an export, a backup or a restore: what it leaves is never
 * taken for a whole one, and the same command then ends with the same data as the server's.
 */
@Tag("peer")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class KilledCommandsTest {
    private static final int KILLS = Form.size(2, 20);
    private static final int KEYS = Form.size(2_000, 5_000);
    private static final int VALUE_BYTES = 4_000;
    private static final String EQUAL = "histories equal";
    private static final Duration STOP_MAX = Duration.ofMinutes(1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final Random random = new Random();
    private ServerProcess server;
    private EtcdClient client;
    private String url;
    private Path work;

    /** How long the last complete run took. */
    private long wholeMillis;

    @BeforeEach
    void start() throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no such commands");
        List.of(Peer.ETCD, Peer.ETCDUTL, Peer.BBOLT).forEach(Peer::require);
        ServerHome home = ServerHome.fresh(directory.resolve("server"));
        server = ServerProcess.start(ServerCommand.underTest(), home);
        client = new EtcdClient(home.target());
        url = home.clientUrl();
        work = Files.createDirectory(directory.resolve("work"));
        fill("object/", KEYS);
    }

    @AfterEach
    void stop() {
        if (server != null) {
            client.close();
            server.close();
        }
    }

    @Test
    void anExport() throws Exception {
        Path file = directory.resolve("export.db");
        String[] export = {"export", file.toString(), "--endpoints=" + url};
        complete(export);
        for (int kills = 0; kills < KILLS; kills++) {
            fill("more" + kills + "/", KEYS / 100);
            Files.delete(file);
            killOnce(export, () -> Files.deleteIfExists(file));
            while (Files.exists(file)) {
                requireComplete(file); // killed after it had its name, before the command ended
                Files.delete(file);
                killOnce(export, () -> Files.deleteIfExists(file));
            }
            complete(export);
            requireComplete(file);
        }
        report("export");
    }

    private void requireComplete(Path file) throws Exception {
        assertThat(Programs.run(Peer.ETCDUTL, "snapshot", "status", file.toString())).isNotEmpty();
        assertThat(verify(file.toString())).contains(EQUAL);
    }

    @Test
    void aBackup() throws Exception {
        Path backups = directory.resolve("backups");
        String[] list = {"backup", backups.toString(), "--list"};
        complete(backup(backups, true));
        for (int kills = 0; kills < KILLS; kills++) {
            boolean full = kills % 2 == 0;
            fill("more" + kills + "/", full ? KEYS / 100 : KEYS / 4);
            if (!full) {
                complete(backup(backups, false));
                fill("again" + kills + "/", KEYS / 4);
            }
            String before = Programs.brainDone(list);
            killOnce(backup(backups, full), () -> fill("late/", KEYS / 4));
            String after = Programs.brainDone(list);
            // It may have been killed after its end.
            assertThat(after).startsWith(before);
            assertThat(verify(backups.toString())).contains("equal at revision");
            complete(backup(backups, full));
            assertThat(parts(backups)).isEmpty();
            assertThat(parts(work)).isEmpty();
            assertThat(verify(backups.toString())).contains(EQUAL);
        }
        report("backup");
    }

    @Test
    void aRestore() throws Exception {
        Path backups = directory.resolve("backups");
        Programs.brainDone(backup(backups, true));
        for (int i = 0; i < 3; i++) {
            fill("increment" + i + "/", KEYS / 4);
            Programs.brainDone(backup(backups, false));
        }
        complete(restore(backups, directory.resolve("timed")));
        int unfinished = 0;
        for (int kills = 0; kills < KILLS; kills++) {
            ServerHome home = ServerHome.fresh(directory.resolve("restored-" + kills));
            killOnce(restore(backups, home.data()), () -> Programs.delete(home.data()));
            while (isWhole(home)) { // killed after its last batch, before the command ended
                Programs.delete(home.data());
                killOnce(restore(backups, home.data()), () -> Programs.delete(home.data()));
            }
            unfinished += requireNotTakenForWhole(home) ? 1 : 0;
            complete(restore(backups, home.data()));
            assertThat(parts(work)).isEmpty();
            assertThat(verify(home.data().toString())).contains(EQUAL);
            Programs.delete(home.data());
        }
        report("restore");
        System.out.println("summary: unfinished stores that a server refused: " + unfinished);
    }

    @Test
    void aRestoreOfAPrefix() throws Exception {
        Path backups = directory.resolve("backups");
        Programs.brainDone(backup(backups, true));
        long revision = client.revision();
        ServerHome home = ServerHome.fresh(directory.resolve("then"));
        Programs.brainDone(restore(backups, home.data()));
        String[] restore = {
            "restore",
            backups.toString(),
            "--endpoints=" + url,
            "--prefix=object/",
            "--rev=" + revision,
            "--work-dir=" + work
        };
        int half = 0;
        disturb();
        complete(restore);
        for (int kills = 0; kills < KILLS; kills++) {
            disturb();
            long before = client.revision();
            killOnce(restore, this::disturb);
            half += client.revision() > before ? 1 : 0;
            complete(restore);
            assertThat(Programs.brainDone(restore)).contains("did 0 puts and 0 deletes");
            assertThat(values(client)).isEqualTo(restored(home));
        }
        report("restore of a prefix");
        System.out.println("summary: restores of a prefix that had begun when killed: " + half);
    }

    /** Changes a part of the keys: some puts, some deletes, some new keys. */
    private void disturb() throws InterruptedException {
        Pipeline calls = new Pipeline(client);
        for (int i = 0; i < KEYS; i += 3) {
            calls.delete(Keys.of("object/" + i));
        }
        calls.settle();
        calls.fill("object/new", KEYS / 10, VALUE_BYTES, random);
        calls.fill("object/", KEYS / 10, VALUE_BYTES, random);
    }

    private void fill(String prefix, int keys) throws InterruptedException {
        new Pipeline(client).fill(prefix, keys, VALUE_BYTES, random);
    }

    private static List<String> values(EtcdClient client) {
        return client.all().getKvsList().stream()
                .filter(kv -> kv.getKey().toStringUtf8().startsWith("object/"))
                .map(kv -> kv.getKey().toStringUtf8() + " " + kv.getValue().hashCode())
                .toList();
    }

    private static List<String> restored(ServerHome home) throws Exception {
        try (ServerProcess then = ServerProcess.start(ServerCommand.underTest(), home);
                EtcdClient other = new EtcdClient(then.home().target())) {
            return values(other);
        }
    }

    /** What to do when a command ended before it was killed. */
    private interface Undo {
        void run() throws Exception;
    }

    /** Runs a command until it was killed before its end. */
    private void killOnce(String[] command, Undo undo) throws Exception {
        while (!Programs.killBrain(
                (long) (wholeMillis * (0.1 + 0.9 * random.nextDouble())), command)) {
            undo.run();
        }
    }

    private void complete(String[] command) throws Exception {
        long began = System.nanoTime();
        Programs.brainDone(command);
        wholeMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    private String verify(String side) throws Exception {
        return Programs.brainDone("verify", side, url, "--work-dir=" + work);
    }

    private Programs.Result tryVerify(ServerHome home) throws Exception {
        return Programs.brain("verify", home.data().toString(), url, "--work-dir=" + work);
    }

    private static Programs.Result check(ServerHome home) throws Exception {
        return Programs.brain("check", "--data-dir=" + home.data());
    }

    /** True if a store has all data. */
    private boolean isWhole(ServerHome home) throws Exception {
        if (tryVerify(home).code() != 0) {
            return false;
        }
        Programs.Result check = check(home);
        assertThat(check.code()).as(check.text()).isZero();
        return true;
    }

    /**
     * A server refuses an unfinished store, and so does verify; true if it is one. False if the
     * store has nothing yet.
     */
    private boolean requireNotTakenForWhole(ServerHome home) throws Exception {
        Programs.Result verify = tryVerify(home);
        assertThat(verify.code()).as(verify.text()).isEqualTo(2);
        Programs.Result check = check(home);
        if (check.code() == 0) { // killed before its first batch
            assertThat(check.text()).startsWith("revision 0, 0 keys, 0 versions");
            return false;
        }
        assertThat(check.code()).as(check.text()).isEqualTo(2);
        if (!check.text().contains("unfinished")) {
            return false;
        }
        try (ServerProcess refused = ServerProcess.launch(ServerCommand.underTest(), home)) {
            assertThat(refused.awaitExit(STOP_MAX)).isEqualTo(1);
            assertThat(refused.log()).contains("is unfinished", "again to continue it");
        }
        return true;
    }

    private String[] backup(Path backups, boolean full) {
        return new String[] {
            "backup",
            backups.toString(),
            "--endpoints=" + url,
            "--full-every=" + (full ? "0" : "1d"),
            "--work-dir=" + work
        };
    }

    private String[] restore(Path backups, Path data) {
        return new String[] {
            "restore",
            backups.toString(),
            "--data-dir=" + data,
            "--exact-revisions",
            "--work-dir=" + work
        };
    }

    /** Files that an interrupted command has left. */
    private static List<Path> parts(Path directory) throws IOException {
        List<Path> parts = new ArrayList<>();
        for (Path file : list(directory)) {
            if (!file.toString().matches(".*(json|zst|LOCK)") && !isNewWorkDirectory(file)) {
                parts.add(file);
            }
        }
        return parts;
    }

    /** True for one without content: its command was killed before it gave it its name. */
    private static boolean isNewWorkDirectory(Path file) throws IOException {
        return file.getFileName().toString().startsWith(".brain-work-")
                && list(file).stream().allMatch(one -> one.endsWith("LOCK"));
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private void report(String command) {
        System.out.printf(
                "summary: %s: %d kills -9, the whole takes %d ms%n", command, KILLS, wholeMillis);
    }
}
