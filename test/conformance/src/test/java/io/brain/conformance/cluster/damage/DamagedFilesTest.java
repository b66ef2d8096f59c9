package io.brain.conformance.cluster.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DamagedFilesTest {

    private static final int KEYS = 1_500;
    private static final int VALUE_BYTES = 1_000;
    private static final Duration CHECK_MAX = Duration.ofMinutes(2);

    /** What is done to which file. */
    enum Damage {
        FORMAT_FLIPPED("FORMAT"),
        FORMAT_EMPTY("FORMAT"),
        FORMAT_ABSENT("FORMAT"),
        LOCK_FLIPPED("LOCK"),
        LOCK_ABSENT("LOCK"),
        BALLAST_FLIPPED("BALLAST"),
        BALLAST_ABSENT("BALLAST"),
        CLOSED_FLIPPED("CLOSED"),
        CLOSED_ABSENT("CLOSED"),
        CURRENT_FLIPPED("rocksdb/CURRENT"),
        CURRENT_EMPTY("rocksdb/CURRENT"),
        CURRENT_ABSENT("rocksdb/CURRENT"),
        IDENTITY_ABSENT("rocksdb/IDENTITY"),
        MANIFEST_FLIPPED("rocksdb/MANIFEST-"),
        MANIFEST_HALVED("rocksdb/MANIFEST-"),
        MANIFEST_SHORTENED("rocksdb/MANIFEST-"),
        MANIFEST_EMPTY("rocksdb/MANIFEST-"),
        MANIFEST_ABSENT("rocksdb/MANIFEST-"),
        OPTIONS_FLIPPED("rocksdb/OPTIONS-"),
        OPTIONS_ABSENT("rocksdb/OPTIONS-"),
        LOG_FLIPPED(".log"),
        LOG_HALVED(".log"),
        LOG_SHORTENED(".log"),
        LOG_EMPTY(".log"),
        LOG_ABSENT(".log"),
        TABLE_HALVED(".sst"),
        TABLE_SHORTENED(".sst"),
        TABLE_EMPTY(".sst"),
        TABLE_ABSENT(".sst");

        private final String file;

        Damage(String file) {
            this.file = file;
        }
    }

    @TempDir static Path temp;
    private Path template;
    private final TreeMap<String, ByteString> acknowledged = new TreeMap<>();

    /** A store with tables and a log that says more, stopped in order. */
    @BeforeAll
    void fillAndStop() throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "the files are Brain's");
        ServerHome home = ServerHome.fresh(temp.resolve("template"));
        Random random = new Random(4);
        try (ServerProcess server = ServerProcess.start(command(), home);
                EtcdClient client = new EtcdClient(home.target())) {
            for (int i = 0; i < KEYS; i++) {
                byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                String key = "key/%05d".formatted(i);
                client.put(Keys.of(key), ByteString.copyFrom(value));
                acknowledged.put(key, ByteString.copyFrom(value));
            }
            assertThat(server.isAlive()).isTrue();
        }
        template = home.data();
        assertThat(files(template, ".sst")).isNotEmpty();
    }

    private static ServerCommand command() {
        return ServerCommand.underTest()
                .shortLived()
                .withFlags(List.of("--storage-option=memtable-size=512KiB"));
    }

    /** All files whose path has {@code part} in it; the largest first. */
    private static List<Path> files(Path data, String part) throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> data.relativize(file).toString().contains(part))
                    .filter(file -> part.equals("CURRENT") || !file.endsWith("LOG"))
                    .sorted((a, b) -> Long.compare(b.toFile().length(), a.toFile().length()))
                    .toList();
        }
    }

    private ServerHome copy(String name) throws IOException {
        ServerHome home = ServerHome.fresh(temp.resolve(name));
        try (Stream<Path> all = Files.walk(template)) {
            for (Path from : all.toList()) {
                Files.copy(from, home.data().resolve(template.relativize(from).toString()));
            }
        }
        return home;
    }

    private static void damage(Path file, String how) throws IOException {
        byte[] content = Files.readAllBytes(file);
        switch (how) {
            case "FLIPPED" -> {
                content[content.length / 2] ^= 0x21;
                Files.write(file, content);
            }
            case "HALVED" -> Files.write(file, Arrays.copyOf(content, content.length / 2));
            case "SHORTENED" -> Files.write(file, Arrays.copyOf(content, content.length - 3));
            case "EMPTY" -> Files.write(file, new byte[0]);
            case "ABSENT" -> Files.delete(file);
            default -> throw new IllegalArgumentException(how);
        }
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void noDataIsLostInSilence(Damage damage) throws Exception {
        ServerHome home = copy(damage.name());
        String how = damage.name().substring(damage.name().indexOf('_') + 1);
        Path file = files(home.data(), damage.file).get(0);
        damage(file, how);

        Checked checked = check(home);
        ServerProcess server = ServerProcess.launch(command(), home);
        try {
            server.awaitReady();
        } catch (IOException ended) {
            assertThat(server.awaitExit(Duration.ofMinutes(1))).isEqualTo(1);
            List<String> lines = server.log().lines().filter(line -> !line.isBlank()).toList();
            String last = lines.get(lines.size() - 1);
            System.out.println("summary: damage " + damage + ": refused: " + last);
            assertThat(lines).noneMatch(line -> line.startsWith("\tat "));
            assertThat(last).contains(home.data().toString());
            assertThat(last)
                    .containsAnyOf("restore it from a backup", "restore the file", "open it with");
            assertThat(checked.exitCode()).as(checked.output()).isNotZero();
            return;
        }
        try (server;
                EtcdClient client = new EtcdClient(home.target())) {
            System.out.println("summary: damage " + damage + ": nothing lost");
            TreeMap<String, ByteString> found = new TreeMap<>();
            for (KeyValue kv : client.all().getKvsList()) {
                found.put(kv.getKey().toStringUtf8(), kv.getValue());
            }
            assertThat(found).isEqualTo(acknowledged);
            assertThat(client.revision()).isEqualTo(KEYS + 1);
            assertThat(checked.exitCode()).as(checked.output()).isZero();
        }
    }

    @Test
    void aSoundStoreIsFoundSound() throws Exception {
        Checked checked = check(copy("sound"));
        assertThat(checked.exitCode()).as(checked.output()).isZero();
        assertThat(checked.output()).contains(KEYS + " keys, " + KEYS + " versions");
    }

    @Test
    void aRunningServersStoreIsNotChecked() throws Exception {
        ServerHome home = copy("running");
        try (ServerProcess server = ServerProcess.start(command(), home)) {
            Checked checked = check(home);
            assertThat(checked.exitCode()).isEqualTo(2);
            assertThat(checked.output()).contains("in use by process " + server.pid());
        }
    }

    /** Only whoever reads such a block can notice. */
    @Test
    void aTableDamagedInTheMiddleFailsWhatTouchesItAndNothingElse() throws Exception {
        ServerHome home = copy("table");
        Path table = files(home.data(), ".sst").get(0);
        damage(table, "FLIPPED");

        Checked checked = check(home);
        assertThat(checked.exitCode()).as(checked.output()).isEqualTo(1);
        assertThat(checked.output()).contains(table.getFileName().toString());
        List<String> named = new ArrayList<>();
        for (String key : acknowledged.keySet()) {
            if (checked.output().contains("key \"" + key + "\"")) {
                named.add(key);
            }
        }
        System.out.printf(
                "summary: damage of a block: %d keys named, %s%n",
                named.size(), checked.output().lines().reduce((a, b) -> b).orElse(""));

        try (ServerProcess server = ServerProcess.start(command(), home);
                EtcdClient client = new EtcdClient(home.target())) {
            int failed = 0;
            for (var entry : acknowledged.entrySet()) {
                try {
                    ByteString value = client.range(get(entry.getKey())).getKvs(0).getValue();
                    assertThat(value).isEqualTo(entry.getValue());
                } catch (StatusRuntimeException refused) {
                    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.DATA_LOSS);
                    assertThat(refused.getStatus().getDescription())
                            .isEqualTo("etcdserver: corrupt cluster");
                    assertThat(named).contains(entry.getKey());
                    failed++;
                }
            }
            assertThat(failed).isPositive().isLessThan(KEYS / 2);
            assertThatThrownBy(client::all).hasMessageContaining("corrupt");
            var unused = client.put(Keys.of("after"), Keys.of("1"));
            assertThat(server.isAlive()).isTrue();
        }
    }

    private static RangeRequest get(String key) {
        return RangeRequest.newBuilder().setKey(Keys.of(key)).build();
    }

    /** How {@code check} ended, and what it printed. */
    private record Checked(int exitCode, String output) {}

    private static Checked check(ServerHome home) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(ServerCommand.underTest().words());
        words.addAll(List.of("check", "--data-dir", home.data().toString()));
        Path output = home.directory().resolve("check.out");
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(command().environment());
        Process process = builder.start();
        if (!process.waitFor(CHECK_MAX.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("check does not end");
        }
        return new Checked(process.exitValue(), Files.readString(output));
    }
}
