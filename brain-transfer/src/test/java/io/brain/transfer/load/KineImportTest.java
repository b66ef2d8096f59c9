package io.brain.transfer.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.store.LeaseRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.etcd.ChangeCollector;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.kine.KineReader;
import io.brain.transfer.kine.KineSource;
import io.brain.transfer.kine.KineTable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of kine, imported; tables of real databases: KineOnDatabaseTest. */
class KineImportTest {
    private static final String HEALTH = "/registry/health={\"health\":\"true\"} 2 2 1 0";

    private final MemoryStorage memory = new MemoryStorage();
    private final ImportedStore store = new ImportedStore(memory);
    private final List<KineTable.Row> rows = new ArrayList<>();
    private long newest;
    private long compacted = -1;
    private ImportReport imported;

    @TempDir private Path directory;

    @BeforeEach
    void addKinesOwnRows() {
        row(1, "compact_rev_key", true, false, 0, 0, "");
        put(2, "/registry/health", 0, 0, "{\"health\":\"true\"}");
    }

    private void row(
            long id,
            String name,
            boolean create,
            boolean delete,
            long created,
            long ttl,
            String text) {
        Bytes value = Bytes.utf8(text);
        rows.add(new KineTable.Row(id, name, create, delete, created, ttl, value));
        newest = Math.max(newest, id);
    }

    /** A row that creates a key, if {@code created} is 0, or updates it. */
    private void put(long id, String name, long created, long ttl, String value) {
        row(id, name, created == 0, false, created, ttl, value);
    }

    private void delete(long id, String name) {
        row(id, name, false, true, 0, 0, "");
    }

    private void gap(long id) {
        delete(id, "gap-" + id);
    }

    private KineReader.Report load() throws IOException {
        KineTable table =
                new KineTable() {
                    @Override
                    public long newestRevision() {
                        return newest;
                    }

                    @Override
                    public long compactedRevision() {
                        return compacted;
                    }

                    @Override
                    public void rows(ChangeSource.Visitor<Row> visitor) throws IOException {
                        rows.sort(Comparator.comparing(Row::name).thenComparingLong(Row::id));
                        for (Row row : rows) {
                            visitor.visit(row);
                        }
                    }
                };
        Path copy = directory.resolve("copy");
        KineReader.Report read;
        try (ChangeCollector changes = new ChangeCollector(directory.resolve("sort"));
                FileChannel out =
                        FileChannel.open(
                                copy,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            read = new KineReader(changes, (step, done, total) -> {}).read(table);
            changes.write(out, read.compacted());
        }
        try (EtcdDatabase changes = EtcdDatabase.open(copy, true, (step, done, total) -> {})) {
            KineSource source = new KineSource(changes, read);
            imported = ImportedStore.load(source, "kine", ImportOptions.ALL, memory);
        }
        store.requireSound();
        return read;
    }

    /** Each key with value, create revision, revision, version and lease. */
    private List<String> at(long revision) {
        return store.at(revision).values().stream()
                .map(KeyValue::decode)
                .map(
                        kv ->
                                "%s=%s %d %d %d %d"
                                        .formatted(
                                                kv.key(),
                                                kv.value(),
                                                kv.createRevision(),
                                                kv.modRevision(),
                                                kv.version(),
                                                kv.lease()))
                .toList();
    }

    @Test
    void revisionsStayAndVersionsAreCountedFromTheCreation() throws Exception {
        put(3, "/a", 0, 0, "one");
        put(4, "/b", 0, 0, "x");
        put(5, "/a", 3, 0, "two");
        gap(6);
        delete(7, "/b");
        put(8, "/b", 0, 0, "again");
        put(10, "/b", 8, 0, "");
        gap(11);
        gap(12);
        put(13, "gap-6", 0, 0, "of a client");
        gap(14);
        gap(15);

        KineReader.Report read = load();

        assertThat(read.keys()).isEqualTo(4);
        assertThat(read.changes()).isEqualTo(8);
        assertThat(read.gaps()).isEqualTo(5);
        assertThat(store.fence().revision()).isEqualTo(15);
        assertThat(at(15))
                .containsExactly(
                        "/a=two 3 5 2 0", "/b= 8 10 2 0", HEALTH, "gap-6=of a client 13 13 1 0");
        assertThat(at(9)).containsExactly("/a=two 3 5 2 0", "/b=again 8 8 1 0", HEALTH);
        assertThat(at(7)).containsExactly("/a=two 3 5 2 0", HEALTH);
        assertThat(at(4)).containsExactly("/a=one 3 3 1 0", "/b=x 4 4 1 0", HEALTH);
        assertThat(store.events(2))
                .containsExactly(
                        "2 0 /registry/health",
                        "3 0 /a",
                        "4 0 /b",
                        "5 0 /a",
                        "7 0 d /b",
                        "8 0 /b",
                        "10 0 /b",
                        "13 0 gap-6");
    }

    @Test
    void ofCompactedKeysTheCreateRevisionIsKeptAndTheVersionTooSmall() throws Exception {
        compacted = 20;
        put(12, "/a", 3, 0, "kept");
        put(22, "/a", 3, 0, "new");
        put(20, "/b", 0, 0, "created");
        put(24, "/b", 20, 0, "changed");
        put(18, "/c", 0, 0, "to delete");
        delete(23, "/c");
        gap(25);

        load();

        assertThat(store.compact().floor()).isEqualTo(20);
        assertThat(at(20))
                .containsExactly(
                        "/a=kept 3 12 2 0",
                        "/b=created 20 20 1 0",
                        "/c=to delete 18 18 1 0",
                        HEALTH);
        assertThat(at(25)).containsExactly("/a=new 3 22 3 0", "/b=changed 20 24 2 0", HEALTH);
        assertThat(store.fence().revision()).isEqualTo(25);
        assertThat(store.events(21)).containsExactly("22 0 /a", "23 0 d /c", "24 0 /b");
    }

    @Test
    void keysWithTheSameTtlShareALeaseOfThatId() throws Exception {
        put(3, "/events/a", 0, 3600, "x");
        put(4, "/events/b", 0, 3600, "x");
        put(5, "/masterleases/c", 0, 15, "x");
        put(6, "/masterleases/c", 5, 15, "y");
        put(7, "/gone", 0, 77, "x");
        delete(8, "/gone");
        put(9, "/kept", 0, 88, "x");
        put(10, "/kept", 9, 0, "y");

        load();

        assertThat(imported.leases()).isEqualTo(2);
        assertThat(imported.addedLeases()).isZero();
        for (long ttl : new long[] {15, 3600}) {
            LeaseRecord lease = LeaseRecord.decode(store.get(store.coder.leaseKey(ttl)));
            assertThat(lease).isEqualTo(new LeaseRecord(ttl, 0));
        }
        assertThat(at(8))
                .containsExactly(
                        "/events/a=x 3 3 1 3600",
                        "/events/b=x 4 4 1 3600",
                        "/masterleases/c=y 5 6 2 15",
                        HEALTH);
        assertThat(attachments()).isEqualTo(3);
    }

    private int attachments() {
        int count = 0;
        try (Snapshot snapshot = memory.snapshot();
                Cursor cursor =
                        snapshot.cursor(
                                store.coder.attachments().range(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void rowsThatAreNotKinesAreRefused() {
        put(7, "/a", 7, 0, "created by itself");
        assertThatThrownBy(this::load)
                .isInstanceOf(IOException.class)
                .hasMessage("not a row of kine: id 7, name \"/a\", create_revision 7");
        rows.clear();
        assertThatThrownBy(this::load).hasMessage("no data of kine");
        put(1, "/a", 0, 0, "before the first revision");
        assertThatThrownBy(this::load).hasMessageStartingWith("not a row of kine: id 1,");
    }

    @Test
    void aMissingRowAboveTheCompactedRevisionIsRefused() throws Exception {
        put(5, "/a", 3, 0, "its creation is missing");
        assertThatThrownBy(this::load)
                .hasMessageContaining("does not continue the version before of its key \"/a\"");
    }
}
