package io.brain.transfer.etcd;

import static io.brain.transfer.etcd.ExportedFile.hex;
import static io.brain.transfer.etcd.ExportedFile.records;
import static io.brain.transfer.etcd.RecordedStore.delete;
import static io.brain.transfer.etcd.RecordedStore.deleteFrom;
import static io.brain.transfer.etcd.RecordedStore.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.transfer.etcd.RecordedStore.Change;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Parts of a store: exported from it, or copied from an export of everything. */
@Timeout(120)
class ExportScopeTest {
    @TempDir private Path directory;
    private RecordedStore store;

    @BeforeEach
    void open() throws Exception {
        store = new RecordedStore();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void revisionOfAPartIsThatOfTheStore() throws Exception {
        store.change(put("/a/1", "1", 0));
        store.change(put("/b/1", "1", 0), put("/a/2", "2", 0));
        store.change(put("/b/2", "2", 0));
        store.change(put("/b/secret", "3", 0), delete("/b/1"));
        ExportScope scope =
                new ExportScope(
                        new KeyFilter(List.of(Bytes.utf8("/a/"), Bytes.utf8("/b/2")), List.of()),
                        0);
        List<Change> kept = new ArrayList<>(store.inDatabase(store.revision()));
        kept.removeIf(change -> change.key().equals("/b/1") || change.key().equals("/b/secret"));
        // A delete of a key that has no other change.
        Bytes last = KeyValueCodec.encodeTombstone(Bytes.utf8("/b/secret"));
        kept.add(new Change("/b/secret", 5, 0, true, last));
        Map<String, String> copied = keysOf(copy(scope));
        assertThat(copied).containsExactlyEntriesOf(hex(records(kept)));
        // From a store, another key of the revision may be the first that is left out.
        kept.remove(kept.size() - 1);
        kept.add(new Change("", 5, 0, true, KeyValueCodec.encodeTombstone(Bytes.utf8("/b/1"))));
        assertThat(keysOf(export(scope))).containsExactlyEntriesOf(hex(records(kept)));
    }

    @Test
    void bothWaysGiveTheSame() throws Exception {
        Random random = new Random(1);
        for (int i = 0; i < 120; i++) {
            String key = "/%d/%d".formatted(random.nextInt(3), random.nextInt(4));
            switch (random.nextInt(4)) {
                case 0 -> store.change(delete(key));
                case 1 -> store.change(put(key, "x", 0), put("/0/last", "y", 0));
                case 2 -> store.change(deleteFrom(key), put(key, "v" + i, 0));
                default -> store.change(put(key, "v" + i, 0));
            }
            if (i == 60) {
                store.compact(40, true);
            }
        }
        store.change(put("/0/last", "z", 0));
        for (long revision : List.of(0L, 40L, 41L, 60L, store.revision() - 1)) {
            ExportScope scope =
                    new ExportScope(
                            new KeyFilter(
                                    List.of(Bytes.utf8("/0/"), Bytes.utf8("/1/")),
                                    List.of(Bytes.utf8("/1/2"))),
                            revision);
            ExportedFile exported = export(scope);
            List<Change> kept = new ArrayList<>(store.inDatabase(scope.lastOf(store.revision())));
            kept.removeIf(change -> !scope.keys().includes(Bytes.utf8(change.key())));
            Map<String, String> expected = hex(records(kept));
            assertThat(keysOf(exported)).containsAllEntriesOf(expected);
            assertThat(keysOf(exported).size() - expected.size()).isBetween(0, 1);
            ExportedFile copied = copy(scope);
            assertThat(keysOf(copied))
                    .containsAllEntriesOf(expected)
                    .hasSameSizeAs(keysOf(exported));
            assertThat(copied.exported().revision()).isEqualTo(exported.exported().revision());
            assertThat(copied.buckets().keySet()).isEqualTo(exported.buckets().keySet());
            assertThat(copied.bucket(EtcdSchema.META)).isEqualTo(exported.bucket(EtcdSchema.META));
        }
    }

    @Test
    void excludedPrefixesAreLeftOut() throws Exception {
        store.change(put("/a/1", "1", 0));
        store.change(put("/a/x/1", "1", 0));
        store.change(put("/a/2", "2", 0));
        ExportScope scope =
                new ExportScope(
                        new KeyFilter(List.of(Bytes.utf8("/a/")), List.of(Bytes.utf8("/a/x/"))), 0);
        List<Change> kept = new ArrayList<>(store.inDatabase(store.revision()));
        kept.removeIf(change -> change.key().equals("/a/x/1"));
        assertThat(keysOf(export(scope))).containsExactlyEntriesOf(hex(records(kept)));
        assertThat(keysOf(copy(scope))).containsExactlyEntriesOf(hex(records(kept)));
    }

    @Test
    void revisionsThatCannotBeReadAreRefused() throws Exception {
        for (int i = 0; i < 4; i++) {
            store.change(put("a", "" + i, 0));
        }
        store.compact(3, true);
        for (boolean copied : List.of(true, false)) {
            assertRefused(copied, 2, "revision 2 was compacted; the oldest is 3");
            assertRefused(copied, 6, "revision 6 does not exist; the newest is 5");
        }
    }

    private void assertRefused(boolean copied, long revision, String text) {
        ExportScope scope = new ExportScope(KeyFilter.ALL, revision);
        assertThatThrownBy(() -> (copied ? copy(scope) : export(scope)).exported())
                .isInstanceOfSatisfying(
                        StorageException.class,
                        refused ->
                                assertThat(refused.kind()).isEqualTo(StorageException.Kind.REFUSED))
                .hasMessage(text);
    }

    private ExportedFile export(ExportScope scope) throws IOException {
        return ExportedFile.of(store.exporter(1), directory, scope);
    }

    private ExportedFile copy(ExportScope scope) throws IOException {
        Path whole = directory.resolve("whole-" + System.nanoTime());
        Path part = directory.resolve("part-" + System.nanoTime());
        try (FileChannel file = create(whole)) {
            store.exporter(1 << 20)
                    .export(
                            file,
                            directory.resolve("sort"),
                            ExportScope.ALL,
                            (step, done, total) -> {});
        }
        try (FileChannel file = create(part)) {
            Exporter.Exported copied =
                    DatabaseFilter.copy(whole, file, scope, null, (step, done, total) -> {});
            return new ExportedFile(ExportedFile.read(part), copied);
        }
    }

    private static FileChannel create(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static Map<String, String> keysOf(ExportedFile file) {
        return hex(file.bucket(EtcdSchema.KEY));
    }
}
