package io.brain.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.bbolt.BboltReader;
import io.brain.bbolt.BucketCursor;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExportCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final CompletableFuture<Void> stop = new CompletableFuture<>();

    @TempDir private Path directory;

    @Test
    void aStoreIsExportedFromItsServerAndFromItsDirectory() throws Exception {
        Path online = directory.resolve("online.db");
        Path offline = directory.resolve("offline.db");
        try (BrainServer server = start()) {
            fill(server);
            int port = server.clientAddresses().get(0).getPort();
            assertThat(export(online, "--endpoints", "127.0.0.1:" + port)).isZero();
            assertThat(shown(out))
                    .startsWith("exported " + online + ": revision 4, ")
                    .endsWith(" bytes\n");
            assertThat(export(directory.resolve("locked.db"), dataDir())).isEqualTo(1);
            assertThat(shown(errors)).startsWith("cannot export: ").hasLineCount(1);
        }
        assertThat(export(offline, dataDir())).isZero();
        assertThat(changes(online)).containsExactly("2 put", "3 put", "4 delete");
        assertThat(changes(offline)).isEqualTo(changes(online));
        assertThat(filesOf(directory)).containsExactly("offline.db", "online.db", "store");
    }

    @Test
    void aPartIsExported() throws Exception {
        Path online = directory.resolve("online.db");
        Path offline = directory.resolve("offline.db");
        String[] part = {"--prefix=/a", "--exclude-prefix=/a/x", "--rev=3"};
        try (BrainServer server = start()) {
            fill(server);
            int port = server.clientAddresses().get(0).getPort();
            assertThat(export(online, "--endpoints=http://127.0.0.1:" + port, part)).isZero();
        }
        assertThat(export(offline, dataDir(), part)).isZero();
        // A delete keeps the revision of the store.
        assertThat(changes(online)).containsExactly("2 put", "3 delete");
        assertThat(changes(offline)).isEqualTo(changes(online));
    }

    @Test
    void anOlderVersionIsWritten() throws Exception {
        Path online = directory.resolve("online.db");
        Path offline = directory.resolve("offline.db");
        Path newest = directory.resolve("newest.db");
        try (BrainServer server = start()) {
            fill(server);
            int port = server.clientAddresses().get(0).getPort();
            String endpoint = "--endpoints=http://127.0.0.1:" + port;
            assertThat(export(online, endpoint, "--etcd-version=3.6")).isZero();
            assertThat(export(newest, endpoint)).isZero();
        }
        assertThat(export(offline, dataDir(), "--etcd-version=3.6")).isZero();
        assertThat(versions(online)).containsExactly("3.6.0", "3.6.0");
        assertThat(versions(offline)).containsExactly("3.6.0", "3.6.0");
        assertThat(versions(newest)).containsExactly("3.7.0", "3.7.0");
        assertThat(changes(online)).containsExactly("2 put", "3 put", "4 delete");
    }

    /** Those of the cluster and of the storage. */
    private static List<String> versions(Path file) throws IOException {
        try (BboltReader reader = BboltReader.open(file)) {
            BucketCursor cluster = reader.bucket(ascii("cluster")).orElseThrow();
            BucketCursor meta = reader.bucket(ascii("meta")).orElseThrow();
            assertThat(cluster.find(ascii("clusterVersion"))).isTrue();
            assertThat(meta.find(ascii("storageVersion"))).isTrue();
            return List.of(
                    new String(cluster.value(), StandardCharsets.US_ASCII),
                    new String(meta.value(), StandardCharsets.US_ASCII));
        }
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void anExistingFileIsRefused() throws Exception {
        start().close();
        Path file = Files.writeString(directory.resolve("db"), "mine");
        assertThat(export(file, dataDir())).isEqualTo(1);
        assertThat(shown(errors)).isEqualTo("cannot export: " + file + ": the file exists\n");
        assertThat(file).hasContent("mine");
    }

    @Test
    void aFailedExportLeavesNothing() throws IOException {
        Path file = directory.resolve("db");
        assertThat(export(file, dataDir())).isEqualTo(1);
        assertThat(shown(errors)).startsWith("cannot export: ").hasLineCount(1);
        assertThat(export(file, "--endpoints=127.0.0.1:1")).isEqualTo(1);
        assertThat(shown(errors))
                .startsWith("cannot export: http://127.0.0.1:1: ")
                .contains("refused")
                .hasLineCount(1);
        assertThat(export(directory.resolve("none/db"), dataDir())).isEqualTo(1);
        assertThat(shown(errors))
                .startsWith("cannot export: no such file or directory: ")
                .hasLineCount(1);
        assertThat(filesOf(directory)).isEmpty();
    }

    @Test
    void aSignalEndsTheExport() throws Exception {
        try (BrainServer server = start()) {
            fill(server);
        }
        stop.complete(null);
        assertThat(export(directory.resolve("db"), dataDir())).isEqualTo(1);
        assertThat(shown(errors)).isEqualTo("cannot export: stopped\n");
        assertThat(filesOf(directory)).containsExactly("store");
    }

    @Test
    void helpListsOptionsAndExitCodes() {
        assertThat(run("--help")).isZero();
        assertThat(shown(out))
                .startsWith("Usage: brain export FILE ")
                .contains("--exclude-prefix", "--rev", "0   exported", "1   not exported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--data-dir=d",
                "db --rev=0 --data-dir=d",
                "db --rev=x --data-dir=d",
                "db --data-dirr=d",
                "db --prefix",
                "db --data-dir=d --etcd-version=3.5",
                "db --endpoints=127.0.0.1",
                "db --endpoints=http://127.0.0.1:1,https://127.0.0.1:2",
                "db --endpoints=127.0.0.1:1 --cacert=ca",
                "db --endpoints=https://127.0.0.1:1 --cert=c",
                "db --data-dir=d --cacert=ca",
            })
    void aWrongCommandLineIsTwo(String line) throws IOException {
        List<String> args = new ArrayList<>();
        for (String word : line.split(" ", 0)) {
            args.add(word.equals("db") ? directory.resolve("db").toString() : word);
        }
        assertThat(run(args.toArray(String[]::new))).isEqualTo(2);
        assertThat(shown(errors)).hasLineCount(1);
        assertThat(filesOf(directory)).isEmpty();
    }

    private BrainServer start() throws ServerException {
        List<String> flags =
                List.of(
                        dataDir(),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:0");
        return BrainServer.start(CommandLineReader.read(flags, Map.of()).config());
    }

    private String dataDir() {
        return "--data-dir=" + directory.resolve("store");
    }

    /** Revisions 2 to 4. */
    private static void fill(BrainServer server) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                        .usePlaintext()
                        .build();
        KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(channel);
        ByteString other = ByteString.copyFromUtf8("/a/x/1");
        kv.put(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("/a/1")).build());
        kv.put(PutRequest.newBuilder().setKey(other).build());
        kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(other).build());
        channel.shutdownNow();
    }

    private int export(Path file, String source, String... more) {
        List<String> args = new ArrayList<>(List.of(file.toString(), source));
        args.addAll(List.of(more));
        return run(args.toArray(String[]::new));
    }

    private int run(String... args) {
        out.reset();
        errors.reset();
        return new ExportCommand()
                .run(
                        List.of(args),
                        Map.of(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(errors, true, StandardCharsets.UTF_8),
                        stop);
    }

    private static List<String> changes(Path file) throws IOException {
        List<String> changes = new ArrayList<>();
        try (BboltReader reader = BboltReader.open(file)) {
            assertThat(reader.check()).isPositive();
            assertThat(Files.size(file)).isEqualTo(reader.length() + 32);
            BucketCursor cursor =
                    reader.bucket("key".getBytes(StandardCharsets.US_ASCII)).orElseThrow();
            while (cursor.next()) {
                String kind = cursor.key().length == 17 ? " put" : " delete";
                changes.add(ByteBuffer.wrap(cursor.key()).getLong() + kind);
            }
        }
        return changes;
    }

    private static List<String> filesOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static String shown(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
