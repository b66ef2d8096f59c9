package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserGrantRoleRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.mvcc.KeyValue;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code brain backup}, {@code restore} and {@code verify}. */
class BackupCommandsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @TempDir private Path directory;
    private Client client;

    @Test
    void aStoreIsRestoredFromAFullBackupAndAnIncrement() throws Exception {
        try (BrainServer server = start("store")) {
            client = new Client(server);
            client.put("a", "1");
            assertThat(backup("--metrics-file=" + directory.resolve("metrics"))).isZero();
            assertThat(text(out)).startsWith("added ").contains(" full revisions=1..2 ");
            assertThat(directory.resolve("metrics"))
                    .content()
                    .contains("brain_backup_last_success_revision 2\n");
            client.put("a", "2");
            client.put("b", "1");
            assertThat(backup()).isZero();
            assertThat(text(out)).contains(" increment revisions=3..4 ");
            assertThat(run("backup", backups(), "--list")).isZero();
            assertThat(text(out)).hasLineCount(2);

            assertThat(restore("first", "--backup=" + text(out).split(" ", 2)[0])).isZero();
            assertThat(text(out)).startsWith("restored revision 2; ");
            assertThat(restore("exact", "--exact-revisions")).isZero();
            assertThat(text(out)).startsWith("restored revision 4; imported 3 changes");
            assertThat(restore("earlier", "--exact-revisions", "--rev=3")).isZero();
            assertThat(restore("raised")).isZero();
            assertThat(restore("raised")).isEqualTo(1);
            assertThat(text(errors)).contains("the store is not empty").hasLineCount(1);
            String name = directory.resolve("named").toString();
            assertThat(run("restore", backups(), "--name=" + name)).isZero();
            assertThat(text(errors))
                    .contains("warning: 'data-dir' was empty; using " + name + ".etcd");

            assertVerified(0, "equal at revision 4: histories equal", "exact", client.url());
            assertVerified(0, "equal at revision 4: histories equal", backups(), client.url());
            assertVerified(0, "equal at revision 3: histories equal", "earlier", client.url());
            String increment = unpackedIncrement();
            assertThat(run("verify", increment, client.url(), "--skip-hash-check")).isEqualTo(2);
            assertThat(text(errors)).contains("an increment of a backup, which begins after");
            String into = "--data-dir=" + directory.resolve("increment");
            assertThat(run("import", increment, into, "--skip-hash-check")).isEqualTo(1);
            assertThat(text(errors)).contains("revision 2: use brain restore").hasLineCount(1);
            assertThat(run("verify", place("exact"), place("raised"), "--rev=1000000004"))
                    .isEqualTo(2);
            assertThat(text(errors)).contains("revision 1000000004 cannot be read");
            client.close();
        }
        try (BrainServer server = start("raised")) {
            client = new Client(server);
            assertThat(client.get("a").getModRevision()).isEqualTo(3);
            assertThat(client.put("c", "1")).isEqualTo(1_000_000_005);
            client.close();
        }
    }

    @Test
    void aBackupCountsIfItsMetricsCannotBeWritten() throws Exception {
        Path directoryOfThisName = Files.createDirectory(directory.resolve("metrics"));
        try (BrainServer server = start("store")) {
            client = new Client(server);
            assertThat(backup("--metrics-file=" + directoryOfThisName)).isZero();
            assertThat(text(out)).startsWith("added ");
            assertThat(text(errors))
                    .startsWith("warning: cannot write " + directoryOfThisName)
                    .hasLineCount(1);
            assertThat(backup("--metrics-file=" + directory.resolve("none/metrics"))).isEqualTo(1);
            assertThat(text(errors)).startsWith("cannot back up: --metrics-file: ");
            client.close();
        }
        assertThat(run("backup", backups(), "--list")).isZero();
        assertThat(text(out)).hasLineCount(1);
    }

    @Test
    void differencesAreNamed() throws Exception {
        try (BrainServer first = start("first");
                BrainServer second = start("second")) {
            client = new Client(first);
            client.put("a", "1");
            client.put("b", "1");
            client.put("c", "1");
            String url = client.url();
            client.close();
            client = new Client(second);
            client.put("a", "1");
            client.put("b", "2");
            client.put("d", "1");
            assertThat(run("verify", url, client.url())).isEqualTo(1);
            assertThat(text(out))
                    .isEqualTo(
                            """
                            differs: "b": values
                            only in A: "c"
                            only in B: "d"
                            different at revision 4: histories differ
                            """);
            assertThat(run("verify", url, client.url(), "--prefix=a")).isZero();
            assertThat(text(out)).isEqualTo("equal at revision 4: histories not compared\n");
            assertThat(run("verify", url, client.url(), "--rev=9")).isEqualTo(2);
            assertThat(text(errors))
                    .contains("required revision is a future revision")
                    .hasLineCount(1);
            client.close();
        }
    }

    @Test
    void aPrefixOfTheRunningClusterIsRestored() throws Exception {
        Path key = Files.writeString(directory.resolve("key"), encoded());
        try (BrainServer server = start("store")) {
            client = new Client(server);
            client.put("x/1", "old");
            client.put("x/2", "old");
            client.put("x/3", "old");
            client.put("y", "old");
            assertThat(backup("--encryption-key=" + key)).isZero();
            client.put("x/1", "new");
            client.delete("x/2");
            client.put("x/4", "new");
            long revision = client.put("y", "new");
            String[] restore = {"restore", backups(), "--endpoints=" + client.url(), "--prefix=x/"};
            assertThat(run(restore)).isEqualTo(1);
            assertThat(text(errors)).contains("--encryption-key is missing").hasLineCount(1);

            assertThat(run(add(restore, "--encryption-key=" + key, "--dry-run"))).isZero();
            assertThat(text(out)).isEqualTo("would do 2 puts and 1 deletes\n");
            assertThat(client.get("y").getModRevision()).isEqualTo(revision);
            assertThat(client.get("x/1").getValue().toStringUtf8()).isEqualTo("new");

            assertThat(run(add(restore, "--encryption-key=" + key))).isZero();
            assertThat(text(out)).isEqualTo("did 2 puts and 1 deletes\n");
            assertThat(client.get("x/1").getModRevision())
                    .isGreaterThan(revision)
                    .isNotEqualTo(client.get("x/2").getModRevision());
            assertThat(client.get("x/1").getValue().toStringUtf8()).isEqualTo("old");
            assertThat(client.get("x/2").getCreateRevision()).isGreaterThan(revision);
            assertThat(client.get("x/3").getVersion()).isEqualTo(1);
            assertThat(client.get("x/4")).isNull();
            assertThat(client.get("y").getValue().toStringUtf8()).isEqualTo("new");
            assertThat(run(add(restore, "--encryption-key=" + key))).isZero();
            assertThat(text(out)).isEqualTo("did 0 puts and 0 deletes\n");
            client.close();
        }
        assertThat(temporaryFiles()).isEmpty();
    }

    @Test
    void aUserSignsInWhereCallersAreChecked() throws Exception {
        try (BrainServer server = start("store")) {
            client = new Client(server);
            client.put("a", "1");
            client.enableAuthentication("root", "secret");
            Path password = Files.writeString(directory.resolve("password"), "secret\n");
            String[] user = {"--user=root", "--password-file=" + password};

            assertThat(backup()).isEqualTo(1);
            assertThat(text(errors)).contains("user name is empty").hasLineCount(1);
            assertThat(backup(user)).isZero();
            assertThat(run(add(new String[] {"verify", backups(), client.url()}, user))).isZero();
            String endpoints = "--endpoints=" + client.url();
            String exported = directory.resolve("exported.db").toString();
            assertThat(run(add(new String[] {"export", exported, endpoints}, user))).isZero();
            String[] restore = {"restore", backups(), endpoints, "--prefix=a"};
            assertThat(run(add(restore, user))).isZero();
            assertThat(text(out)).isEqualTo("did 0 puts and 0 deletes\n");
            client.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "backup",
                "backup b",
                "backup b --endpoints=127.0.0.1",
                "backup b --endpoints=127.0.0.1:1 --keep=7",
                "backup b --endpoints=127.0.0.1:1 --full-every=tomorrow",
                "restore",
                "restore b --rev=0",
                "restore b --rev=5 --time=2026-01-31T12:00:00Z",
                "restore b --time=yesterday",
                "restore b --prefix=a",
                "restore b --endpoints=127.0.0.1:1",
                "restore b --dry-run",
                "restore b --exact-revisions --bump-revision=5",
                "restore b --endpoints=127.0.0.1:1 --prefix=a --exact-revisions",
                "verify a",
                "restore b --data-dir=NEW --bump-revision=-1",
                "backup b --endpoints=127.0.0.1:1 --cacert=ca",
                "restore b --endpoints=127.0.0.1:1 --prefix=a --cacert=ca",
                "restore b --data-dir=NEW --user=root --password-file=p",
                "backup b --endpoints=127.0.0.1:1 --user=root",
                "verify 127.0.0.1:1 b --user=root",
                "verify a b --rev=x",
                "verify http://127.0.0.1:1,https://127.0.0.1:2 a",
                "verify a b --endpoints=127.0.0.1:1",
            })
    void aWrongCommandLineIsTwo(String line) {
        assertThat(run(line.split(" ", -1))).isEqualTo(2);
        assertThat(text(errors)).hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "backup NEW --endpoints=127.0.0.1:1",
                "restore NEW --data-dir=NEW",
                "restore FILE --data-dir=NEW",
            })
    void aFailureIsOneLineAndOne(String line) throws IOException {
        assertThat(run(places(line))).isEqualTo(1);
        assertThat(text(errors)).startsWith("cannot ").hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"verify NEW NEW", "verify FILE FILE", "verify 127.0.0.1:1 NEW"})
    void whatCannotBeComparedIsTwo(String line) throws IOException {
        assertThat(run(places(line))).isEqualTo(2);
        assertThat(text(errors)).startsWith("cannot verify: ").hasLineCount(1);
    }

    @Test
    void helpListsOptionsAndExitCodes() {
        for (String command : List.of("backup", "restore", "verify")) {
            assertThat(run(command, "--help")).isZero();
            assertThat(text(out))
                    .startsWith("Usage: brain " + command + " ")
                    .contains(
                            "--cacert",
                            "--user",
                            "--encryption-key",
                            "--s3-endpoint",
                            "Exit codes");
        }
    }

    private void assertVerified(int code, String line, String a, String b) {
        assertThat(run("verify", place(a), place(b))).isEqualTo(code);
        assertThat(text(out)).isEqualTo(line + "\n");
    }

    private String place(String name) {
        return name.contains("/") ? name : directory.resolve(name).toString();
    }

    private String[] places(String line) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "no database");
        String missing = directory.resolve("new").toString();
        return line.replace("NEW", missing).replace("FILE", file.toString()).split(" ", -1);
    }

    private String unpackedIncrement() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(backups()))) {
            Path packed =
                    files.filter(file -> file.toString().endsWith("-increment.db.zst"))
                            .findFirst()
                            .orElseThrow();
            Path unpacked = directory.resolve("increment.db");
            try (InputStream in = new ZstdInputStream(Files.newInputStream(packed))) {
                Files.copy(in, unpacked);
            }
            return unpacked.toString();
        }
    }

    private String backups() {
        return directory.resolve("backups").toString();
    }

    private int backup(String... more) {
        return run(add(new String[] {"backup", backups(), "--endpoints=" + client.url()}, more));
    }

    private int restore(String store, String... more) {
        String dataDir = "--data-dir=" + directory.resolve(store);
        return run(add(new String[] {"restore", backups(), dataDir}, more));
    }

    private static String[] add(String[] args, String... more) {
        return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
    }

    private int run(String... args) {
        out.reset();
        errors.reset();
        return CommandRun.run(List.of(args), directory, out, errors, new CompletableFuture<>());
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(UTF_8);
    }

    private List<String> temporaryFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("brain-"))
                    .toList();
        }
    }

    private static String encoded() {
        return Base64.getEncoder().encodeToString(new byte[32]);
    }

    private BrainServer start(String store) throws ServerException {
        List<String> flags =
                List.of(
                        "--data-dir=" + directory.resolve(store),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:0");
        return BrainServer.start(CommandLineReader.read(flags, Map.of()).config());
    }

    /** Calls a server. */
    private static final class Client {
        private final int port;
        private final ManagedChannel channel;
        private final KVGrpc.KVBlockingStub kv;

        Client(BrainServer server) {
            port = server.clientAddresses().get(0).getPort();
            channel =
                    NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                            .usePlaintext()
                            .build();
            kv = KVGrpc.newBlockingStub(channel);
        }

        String url() {
            return "http://127.0.0.1:" + port;
        }

        /** Returns the revision. */
        long put(String key, String value) {
            return kv.put(
                            PutRequest.newBuilder()
                                    .setKey(ByteString.copyFromUtf8(key))
                                    .setValue(ByteString.copyFromUtf8(value))
                                    .build())
                    .getHeader()
                    .getRevision();
        }

        void delete(String key) {
            assertThat(
                            kv.deleteRange(
                                            DeleteRangeRequest.newBuilder()
                                                    .setKey(ByteString.copyFromUtf8(key))
                                                    .build())
                                    .getDeleted())
                    .isEqualTo(1);
        }

        /** With a user that has the role root. */
        void enableAuthentication(String user, String password) {
            AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(channel);
            var unusedUser =
                    auth.userAdd(
                            AuthUserAddRequest.newBuilder()
                                    .setName(user)
                                    .setPassword(password)
                                    .build());
            var unusedRole =
                    auth.userGrantRole(
                            AuthUserGrantRoleRequest.newBuilder()
                                    .setUser(user)
                                    .setRole("root")
                                    .build());
            var unused = auth.authEnable(AuthEnableRequest.getDefaultInstance());
        }

        /** Null if it does not exist. */
        KeyValue get(String key) {
            RangeRequest request =
                    RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
            return kv.range(request).getKvsList().stream().findFirst().orElse(null);
        }

        void close() {
            channel.shutdownNow();
        }
    }
}
