package io.brain.bbolt;

import static io.brain.bbolt.Databases.utf8;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of each version of etcd are read as etcd reads them; etcd accepts and uses our copies. */
@Tag("peer")
class EtcdFilesTest {
    private static final byte[] KEY = utf8("key");

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"etcd-3.4", "etcd-3.5", "etcd-3.6", "etcd"})
    void filesOfEtcd(String version) throws IOException {
        Path snapshot = directory.resolve("snapshot.db");
        Path database;
        try (Peer.Etcd etcd = new Peer.Etcd(version, directory.resolve("data"))) {
            fill(etcd);
            etcd.ctl("snapshot", "save", snapshot.toString());
            // More pages become free than the snapshot has.
            etcd.ctl("del", "--prefix", "b");
            etcd.ctl("compaction", "2000");
            database = etcd.database();
        }
        verify(database);
        verify(snapshot);
        useOurCopy(snapshot);
    }

    /** Buckets of every kind, values of several pages, free pages, all kinds of leaf pages. */
    private static void fill(Peer.Etcd etcd) throws IOException {
        etcd.ctl("put", "binary", "a\001\377b");
        etcd.ctl("put", "empty", "");
        etcd.ctl("put", "large", "x".repeat(100_000));
        etcd.benchmark(
                "put",
                "--total=5000",
                "--val-size=300",
                "--key-size=20",
                "--key-space-size=2000",
                "--clients=100",
                "--conns=4");
        String lease = etcd.ctl("lease", "grant", "1000").split(" ", -1)[1];
        etcd.ctl("put", "--lease=" + lease, "leased", "value");
        etcd.ctl("user", "add", "root:password");
        etcd.ctl("user", "add", "other:password");
        etcd.ctl("role", "add", "reader");
        etcd.ctl("role", "grant-permission", "reader", "read", "a", "b");
        etcd.ctl("user", "grant-role", "other", "reader");
        etcd.ctl("compaction", "1000");
        etcd.benchmark(
                "put",
                "--total=1000",
                "--val-size=8000",
                "--key-size=20",
                "--key-space-size=100",
                "--clients=100",
                "--conns=4");
        etcd.ctl("del", "--prefix", "a");
    }

    private void verify(Path file) throws IOException {
        try (BboltReader reader = BboltReader.open(file)) {
            assertThat(reader.check()).isGreaterThan(3000);
            verifyStatus(reader, file);
            verifyKeys(reader, file);
        }
        Path copy = copy(file);
        try (BboltReader reader = BboltReader.open(copy)) {
            assertThat(reader.length()).isEqualTo(Files.size(copy));
            verifyStatus(reader, copy);
        }
        assertThat(run("bbolt", "check", copy)).isEqualTo("OK\n");
        // Both open a database for writing.
        String hashKv = run("etcdutl", "hashkv", copy);
        assertThat(run("bbolt", "check", copy)).isEqualTo("OK\n");
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        assertThat(run("etcdutl", "hashkv", copy)).isEqualTo(hashKv);
    }

    private static void verifyStatus(BboltReader reader, Path file) throws IOException {
        String status = run("etcdutl", "snapshot", "status", "--write-out=json", file);
        assertThat(field(status, "totalSize")).isEqualTo(reader.length());
        assertThat(field(status, "hash")).isEqualTo(hash(reader));
    }

    /** Keys and some values, as bbolt prints them. */
    private static void verifyKeys(BboltReader reader, Path file) throws IOException {
        StringBuilder names = new StringBuilder();
        BucketCursor buckets = reader.buckets();
        while (buckets.next()) {
            String name = new String(buckets.key(), UTF_8);
            names.append(name).append('\n');
            StringBuilder keys = new StringBuilder();
            BucketCursor cursor = reader.bucket(buckets.key()).orElseThrow();
            for (int i = 0; cursor.next(); i++) {
                String key = HexFormat.of().formatHex(cursor.key());
                keys.append(key).append('\n');
                if (i % 500 == 0) {
                    String value =
                            run(
                                    "bbolt",
                                    "get",
                                    "--format=hex",
                                    "--parse-format=hex",
                                    file,
                                    name,
                                    key);
                    assertThat(value.strip()).isEqualTo(HexFormat.of().formatHex(cursor.value()));
                }
            }
            assertThat(run("bbolt", "keys", "--format=hex", file, name)).isEqualTo(keys.toString());
        }
        assertThat(run("bbolt", "buckets", file)).isEqualTo(names.toString());
    }

    /** etcd 3.7 starts from a copy and rebalances its trees; bbolt finds them in order. */
    private void useOurCopy(Path snapshot) throws IOException {
        Path data = directory.resolve("restored");
        String peerUrl = Peer.Etcd.peerUrl(data);
        run(
                "etcdutl",
                "snapshot",
                "restore",
                copy(snapshot),
                "--skip-hash-check",
                "--data-dir=" + data,
                "--initial-cluster=default=" + peerUrl,
                "--initial-advertise-peer-urls=" + peerUrl);
        Path database;
        try (Peer.Etcd etcd = new Peer.Etcd("etcd", data)) {
            assertThat(etcd.ctl("get", "empty", "--write-out=json")).contains("\"count\":1");
            assertThat(etcd.ctl("get", "large", "--print-value-only").strip()).hasSize(100_000);
            etcd.ctl("del", "--from-key", "c");
            etcd.ctl("compaction", "--physical", revision(etcd));
            etcd.benchmark(
                    "put",
                    "--total=500",
                    "--val-size=1000",
                    "--key-size=20",
                    "--key-space-size=100",
                    "--clients=50");
            etcd.ctl("del", "--from-key", "");
            etcd.ctl("compaction", "--physical", revision(etcd));
            database = etcd.database();
        }
        assertThat(run("bbolt", "check", database)).isEqualTo("OK\n");
        try (BboltReader reader = BboltReader.open(database)) {
            reader.check();
            assertThat(reader.bucket(KEY)).isPresent();
        }
    }

    private static String revision(Peer.Etcd etcd) throws IOException {
        return Long.toString(field(etcd.ctl("get", "x", "--write-out=json"), "revision"));
    }

    private static long field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":(\\d+)").matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    private Path copy(Path from) throws IOException {
        Path copy = directory.resolve("copy.db");
        Files.deleteIfExists(copy);
        try (BboltReader reader = BboltReader.open(from);
                BboltWriter writer = BboltWriter.create(copy)) {
            BucketCursor buckets = reader.buckets();
            while (buckets.next()) {
                writer.bucket(buckets.key());
                BucketCursor cursor = reader.bucket(buckets.key()).orElseThrow();
                while (cursor.next()) {
                    writer.put(cursor.key(), cursor.value());
                }
            }
            writer.finish();
        }
        return copy;
    }

    private static String run(String program, Object... arguments) throws IOException {
        return Peer.run(program, Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    }

    /** etcdutl's hash of all names of buckets, keys and values, in order. */
    private static long hash(BboltReader reader) throws IOException {
        CRC32C hash = new CRC32C();
        BucketCursor buckets = reader.buckets();
        while (buckets.next()) {
            hash.update(buckets.key());
            BucketCursor cursor = reader.bucket(buckets.key()).orElseThrow();
            while (cursor.next()) {
                hash.update(cursor.key());
                hash.update(cursor.value());
            }
        }
        return hash.getValue();
    }
}
