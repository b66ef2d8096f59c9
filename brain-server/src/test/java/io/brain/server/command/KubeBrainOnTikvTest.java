package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.Storages;
import io.brain.server.config.BrainConfig;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/**
 * {@code brain import tikv://} of what KubeBrain stores in a real PD and a store of TiKV's
 * protocol, written by a transaction for each revision as KubeBrain does, and compacted as it does.
 */
@Tag("peer")
class KubeBrainOnTikvTest {
    private static final int REVISIONS = 2_000;
    private static final int KEYS = 100;
    private static final long FIRST_REVISION = 1_000;
    private static final int POINTS = 30;
    private static final long SECONDS_MAX = 180;
    private static final String TOMBSTONE = "tombstone";

    /** Values by revision of each key; a deleted key has {@link #TOMBSTONE}. */
    private final NavigableMap<String, NavigableMap<Long, String>> model = new TreeMap<>();

    private final Random random = new Random(7);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private int pdPort;

    @Test
    void theImportEqualsTheModel() throws Exception {
        startBed();
        long compacted = FIRST_REVISION + REVISIONS / 3;
        try {
            try (KvStorage tikv = Storages.open(tikv(), "")) {
                write(tikv);
                compact(tikv, compacted);
            }
            assertThat(importTikv()).contains("up to revision " + newest());
        } finally {
            stop("store");
            stop("pd");
        }
        for (int i = 0; i < POINTS; i++) {
            long revision =
                    i == 0
                            ? newest()
                            : i == 1
                                    ? compacted
                                    : compacted + random.nextLong(newest() - compacted);
            assertThat(
                            StoredKeys.at(
                                    directory.resolve("store"),
                                    directory.resolve("sort"),
                                    revision))
                    .as("at %d", revision)
                    .isEqualTo(expected(revision));
        }
        System.out.printf(
                "summary: KubeBrain on TiKV: %d revisions of %d keys, compacted at %d, equal to the"
                        + " model at %d revisions%n",
                REVISIONS, model.size(), compacted, POINTS);
    }

    private static long newest() {
        return FIRST_REVISION + REVISIONS - 1;
    }

    private void write(KvStorage tikv) {
        for (long revision = FIRST_REVISION; revision <= newest(); revision++) {
            String key = "/registry/kind" + random.nextInt(5) + "/name" + random.nextInt(KEYS);
            NavigableMap<Long, String> versions =
                    model.computeIfAbsent(key, name -> new TreeMap<>());
            boolean exists =
                    !versions.isEmpty() && !versions.lastEntry().getValue().equals(TOMBSTONE);
            String value =
                    exists && random.nextInt(4) == 0
                            ? TOMBSTONE
                            : "v".repeat(1 + random.nextInt(200)) + revision;
            versions.put(revision, value);
            commit(
                    tikv,
                    WriteBatch.builder()
                            .put(stored(key, 0), newest(revision, value.equals(TOMBSTONE)))
                            .put(stored(key, revision), Bytes.utf8(value)));
        }
        commit(tikv, WriteBatch.builder().put(Bytes.utf8("/election"), Bytes.utf8("leader")));
    }

    /** Removes what a later version replaced up to a revision, and deletes up to there. */
    private void compact(KvStorage tikv, long compacted) {
        List<Bytes> removed = new ArrayList<>();
        model.forEach(
                (key, versions) -> {
                    Long kept = versions.floorKey(compacted);
                    if (kept == null) {
                        return;
                    }
                    boolean deleted = versions.get(kept).equals(TOMBSTONE);
                    for (long old : List.copyOf(versions.headMap(kept, deleted).keySet())) {
                        versions.remove(old);
                        removed.add(stored(key, old));
                    }
                    if (versions.isEmpty()) {
                        removed.add(stored(key, 0));
                    }
                });
        model.values().removeIf(Map::isEmpty);
        WriteBatch.Builder batch = WriteBatch.builder();
        batch.put(Bytes.utf8("//compact_key"), number(compacted));
        removed.forEach(batch::delete);
        commit(tikv, batch);
    }

    private static void commit(KvStorage tikv, WriteBatch.Builder batch) {
        CommitResult result = tikv.commit(batch.build()).toCompletableFuture().join();
        assertThat(result).isInstanceOf(CommitResult.Committed.class);
    }

    /** Each key with its value, revisions and version, as the import counts them. */
    private List<String> expected(long revision) {
        List<String> all = new ArrayList<>();
        model.forEach(
                (key, versions) -> {
                    long created = 0;
                    long version = 0;
                    for (Map.Entry<Long, String> each :
                            versions.headMap(revision, true).entrySet()) {
                        boolean deleted = each.getValue().equals(TOMBSTONE);
                        created = version == 0 ? each.getKey() : created;
                        version = deleted ? 0 : version + 1;
                    }
                    if (version > 0) {
                        Map.Entry<Long, String> last = versions.floorEntry(revision);
                        all.add(
                                StoredKeys.line(
                                        key, last.getValue(), created, last.getKey(), version));
                    }
                });
        return all;
    }

    private String importTikv() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(out, true, UTF_8);
        int code =
                new ImportCommand()
                        .run(
                                List.of(
                                        "tikv://127.0.0.1:" + pdPort,
                                        "--data-dir=" + directory.resolve("store"),
                                        "--work-dir=" + directory),
                                Map.of(),
                                printed,
                                printed,
                                new CompletableFuture<>());
        assertThat(code).as(out.toString(UTF_8)).isZero();
        return out.toString(UTF_8);
    }

    private BrainConfig.Storage tikv() {
        return new BrainConfig.Storage(
                "tikv", Path.of(""), Map.of("pd-endpoints", "127.0.0.1:" + pdPort));
    }

    private static Bytes stored(String key, long revision) {
        byte[] name = key.getBytes(UTF_8);
        return Bytes.wrap(
                ByteBuffer.allocate(4 + name.length + 9)
                        .putInt(0x57fb808b)
                        .put(name)
                        .put((byte) '$')
                        .putLong(revision)
                        .array());
    }

    private static Bytes newest(long revision, boolean deleted) {
        return Bytes.wrap(ByteBuffer.allocate(deleted ? 9 : 8).putLong(revision).array());
    }

    private static Bytes number(long value) {
        return Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    private void startBed() throws IOException, InterruptedException {
        for (String program : List.of("pd-server", "unistore")) {
            if (!Files.isExecutable(programs().resolve(program))) {
                throw new TestAbortedException(
                        "no " + program + ": run test/peers/build.sh pd unistore");
            }
        }
        pdPort = FreePorts.row(3); // the script uses the second for PD, too
        Process script =
                new ProcessBuilder(
                                "../test/peers/start-tikv.sh",
                                directory.resolve("bed").toString(),
                                Integer.toString(pdPort),
                                Integer.toString(pdPort + 2))
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("bed.log").toFile())
                        .start();
        assertThat(script.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(script.exitValue()).as(Files.readString(directory.resolve("bed.log"))).isZero();
    }

    private void stop(String program) throws IOException {
        String pid = Files.readString(directory.resolve("bed/" + program + ".pid")).strip();
        ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroy);
    }

    private static Path programs() {
        String named = System.getenv("PEERS_BIN");
        return named != null
                ? Path.of(named)
                : Path.of(System.getProperty("user.home"), ".cache", "brain-peers", "bin");
    }
}
