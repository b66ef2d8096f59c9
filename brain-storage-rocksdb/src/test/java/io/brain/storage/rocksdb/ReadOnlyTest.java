package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.copy;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static io.brain.storage.rocksdb.Stores.put;
import static io.brain.storage.rocksdb.Stores.settings;
import static io.brain.storage.rocksdb.Stores.thrown;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is opened for reading alone shows all of itself, and stays as it is. */
final class ReadOnlyTest {
    @TempDir Path temp;

    /** Contents by name, but for the lock. */
    private static Map<String, Integer> files(Path directory) throws IOException {
        Map<String, Integer> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                if (Files.isRegularFile(path) && !path.equals(directory.resolve("LOCK"))) {
                    files.put(path.toString(), Arrays.hashCode(Files.readAllBytes(path)));
                }
            }
        }
        return files;
    }

    private static KvStorage openReadOnly(Path directory) {
        return ReadOnlyStorage.open(settings(directory));
    }

    @Test
    void aCrashedStoreShowsTablesAndLogAndNoFileChanges() throws IOException {
        Path running = temp.resolve("running");
        Path crashed = temp.resolve("crashed");
        try (KvStorage store = Stores.openWritingTables(running)) {
            put(store, "in a table", "1");
        }
        try (KvStorage store = open(running)) {
            put(store, "in the log", "2");
            copy(running, crashed);
        }
        Map<String, Integer> before = files(crashed);
        try (KvStorage store = openReadOnly(crashed)) {
            assertThat(get(store, "in a table")).isEqualTo("1");
            assertThat(get(store, "in the log")).isEqualTo("2");
            WriteBatch batch = WriteBatch.builder().put(Bytes.utf8("a"), Bytes.utf8("1")).build();
            CommitResult end = await(store.commit(batch));
            assertThat(end)
                    .isInstanceOfSatisfying(
                            CommitResult.Unavailable.class,
                            refused -> assertThat(refused.cause().kind()).isEqualTo(Kind.REFUSED));
            assertThat(get(store, "a")).isNull();
        }
        assertThat(files(crashed)).isEqualTo(before);
        try (KvStorage store = open(crashed)) {
            assertThat(get(store, "in the log")).isEqualTo("2");
        }
    }

    @Test
    void aStoreInUseIsRefusedBothWays() {
        Path directory = temp.resolve("store");
        try (KvStorage store = open(directory)) {
            put(store, "a", "1");
            assertThat(thrown(Kind.REFUSED, () -> openReadOnly(directory).close()))
                    .contains("is in use");
        }
        try (KvStorage store = openReadOnly(directory)) {
            assertThat(get(store, "a")).isEqualTo("1");
            assertThat(thrown(Kind.REFUSED, () -> open(directory).close())).contains("is in use");
        }
    }

    @Test
    void whatIsNoStoreIsRefusedAndNotMadeOne() throws IOException {
        Path none = temp.resolve("none");
        assertThat(thrown(Kind.REFUSED, () -> openReadOnly(none).close())).contains("no store");
        assertThat(none).doesNotExist();
        Files.createDirectories(none);
        assertThat(thrown(Kind.REFUSED, () -> openReadOnly(none).close())).contains("no store");
        assertThat(none).isEmptyDirectory();
    }

    @Test
    void aDamagedLogIsRefused() throws IOException {
        Path running = temp.resolve("running");
        Path crashed = temp.resolve("crashed");
        try (KvStorage store = open(running)) {
            put(store, "a", "1");
            put(store, "b", "1");
            copy(running, crashed);
        }
        Path log = Stores.file(crashed, ".*\\.log");
        byte[] content = Files.readAllBytes(log);
        content[10] ^= 1;
        Files.write(log, content);
        assertThat(thrown(Kind.CORRUPT, () -> openReadOnly(crashed).close()))
                .contains(log.toString());
    }
}
