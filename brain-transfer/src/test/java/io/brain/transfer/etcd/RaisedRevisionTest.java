package io.brain.transfer.etcd;

import static io.brain.transfer.etcd.ExportedFile.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.admin.check.StoreCheck;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.Importer;
import io.brain.transfer.verify.StoreSide;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database of an etcd that was restored with {@code --bump-revision 1000}: the hashes are those
 * of etcd 3.7.3 after the same calls.
 */
class RaisedRevisionTest {
    private static final String KEYSPACE = "test";
    private static final long MARKER = 1004;
    private static final StepListener SILENT = (step, done, total) -> {};

    @TempDir private Path directory;

    @Test
    void theHashesAreThoseOfEtcd() throws Exception {
        try (MemoryStorage storage = load(database())) {
            assertHashes(storage);
            List<String> findings = new ArrayList<>();
            new StoreCheck(storage, KEYSPACE, findings::add, (step, part) -> {}).run();
            assertThat(findings).isEmpty();
        }
    }

    @Test
    void anExportHasTheMarker() throws Exception {
        Path original = database();
        try (MemoryStorage storage = load(original)) {
            Path exported = directory.resolve("exported");
            try (FileChannel file = create(exported)) {
                new Exporter(storage, KEYSPACE, "3.7.0")
                        .export(file, directory.resolve("sort"), ExportScope.ALL, SILENT);
            }
            Map<String, String> changes = changes(original);
            changes.remove(hex(Bytes.wrap(EtcdSchema.changeKey(2, 0, false)))); // is compacted
            assertThat(changes(exported)).containsExactlyEntriesOf(changes);
            try (MemoryStorage again = load(exported)) {
                assertHashes(again);
            }
        }
    }

    @Test
    void aCopyHasTheMarker() throws Exception {
        Path original = database();
        Path copy = directory.resolve("copy");
        try (FileChannel file = create(copy)) {
            DatabaseFilter.copy(original, file, ExportScope.ALL, null, SILENT);
        }
        assertThat(changes(copy)).containsExactlyEntriesOf(changes(original));
    }

    @Test
    void aSecondMarkerReplacesTheFirst() throws Exception {
        EtcdFixture etcd = changed();
        etcd.change(MARKER, 0, false, new byte[0]).change(2 * MARKER, 0, false, new byte[0]);
        try (MemoryStorage storage = load(etcd.compact(2 * MARKER).write(directory.resolve("a")));
                MemoryStorage once =
                        load(
                                changed()
                                        .change(2 * MARKER, 0, false, new byte[0])
                                        .compact(2 * MARKER)
                                        .write(directory.resolve("b")))) {
            assertThat(hash(storage, 2 * MARKER)).isEqualTo(hash(once, 2 * MARKER));
        }
    }

    private Path database() throws IOException {
        EtcdFixture etcd = changed().change(MARKER, 0, false, new byte[0]).compact(MARKER);
        while (etcd.revision() < MARKER) {
            etcd.next();
        }
        put(etcd, "k3", "v4");
        put(etcd, "k1", "v5");
        return etcd.write(directory.resolve("etcd"));
    }

    private static EtcdFixture changed() {
        EtcdFixture etcd = new EtcdFixture();
        put(etcd, "k1", "v1");
        put(etcd, "k2", "v2");
        put(etcd, "k1", "v3");
        return etcd;
    }

    private static void put(EtcdFixture etcd, String key, String value) {
        etcd.next().put(Bytes.utf8(key), Bytes.utf8(value), 0);
    }

    private static FileChannel create(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static Map<String, String> changes(Path file) throws IOException {
        return hex(ExportedFile.read(file).get("key"));
    }

    private static MemoryStorage load(Path file) throws IOException {
        MemoryStorage storage = new MemoryStorage();
        try (EtcdDatabase source = EtcdDatabase.open(file, true, SILENT)) {
            Importer importer =
                    new Importer(
                            source, "etcd", KEYSPACE, ImportOptions.ALL, new Random(1), SILENT);
            importer.check();
            var unused = importer.run(storage);
        }
        return storage;
    }

    private void assertHashes(MemoryStorage storage) throws IOException {
        assertThat(hash(storage, MARKER)).isEqualTo(475705692L);
        assertThat(hash(storage, MARKER + 1)).isEqualTo(2303674228L);
        assertThat(hash(storage, MARKER + 2)).isEqualTo(1598067190L);
    }

    private long hash(MemoryStorage storage, long revision) throws IOException {
        Path sortFile = directory.resolve("sort");
        try (StoreSide side = new StoreSide("store", storage, KEYSPACE, sortFile)) {
            return Integer.toUnsignedLong(side.history(revision).hash());
        }
    }
}
