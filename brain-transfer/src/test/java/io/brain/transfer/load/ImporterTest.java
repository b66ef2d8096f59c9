package io.brain.transfer.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmType;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.ScriptedFaults;
import io.brain.transfer.etcd.EtcdFixture;
import io.brain.transfer.etcd.KeyFilter;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImporterTest {
    private static final int ANY = Integer.MAX_VALUE;

    @TempDir private Path directory;

    private final MemoryStorage memory = new MemoryStorage();
    private final ImportedStore store = new ImportedStore(memory);

    @Test
    void everyReadableRevisionIsAsInTheSource() throws Exception {
        for (int seed = 0; seed < 40; seed++) {
            RandomHistory history = new RandomHistory(new Random(seed), 12, 60, 30, 40);
            MemoryStorage target = new MemoryStorage();
            long batchBytesMax = seed % 3 == 0 ? 1 : 1000;
            ImportedStore.load(
                    history.database.write(directory.resolve("db")),
                    ImportOptions.ALL,
                    ImportedStore.limited(target, batchBytesMax, ANY));
            requireEqual(new ImportedStore(target), history, key -> true, "seed " + seed);
        }
    }

    @Test
    void keysCanBeLeftOut() throws Exception {
        ImportOptions options =
                new ImportOptions(
                        new KeyFilter(List.of(Bytes.utf8("0"), Bytes.utf8("2/")), keys("0/a")),
                        0,
                        0);
        for (int seed = 0; seed < 40; seed++) {
            RandomHistory history = new RandomHistory(new Random(seed), 12, 60, 30, 40);
            MemoryStorage target = new MemoryStorage();
            ImportedStore.load(
                    history.database.write(directory.resolve("db")),
                    options,
                    ImportedStore.limited(target, 200, ANY));
            Predicate<Bytes> included =
                    key -> !key.startsWith(Bytes.utf8("1")) && !key.startsWith(Bytes.utf8("0/a"));
            requireEqual(new ImportedStore(target), history, included, "seed " + seed);
        }
    }

    @Test
    void anInterruptedImportContinues() throws Exception {
        for (int seed = 0; seed < 15; seed++) {
            RandomHistory history = new RandomHistory(new Random(seed), 12, 60, 30, 40);
            Path file = history.database.write(directory.resolve("db"));
            MemoryStorage target = new MemoryStorage();
            KvStorage small = ImportedStore.limited(target, 300, ANY);
            int interruptions = 0;
            while (!isLoaded(file, small, 2 + interruptions)) {
                assertThatThrownBy(() -> new ImportedStore(target).requireSound())
                        .isInstanceOf(StorageException.class)
                        .hasMessageContaining("unfinished")
                        .hasMessageContaining(file.toString());
                interruptions++;
            }
            assertThat(interruptions).isPositive();
            requireEqual(new ImportedStore(target), history, key -> true, "seed " + seed);
        }
    }

    /** Runs an import that is cut off after some commits; true if it ended before. */
    private static boolean isLoaded(Path file, KvStorage target, int commits) throws Exception {
        AtomicInteger left = new AtomicInteger(commits);
        Fault full = Fault.unavailable(StorageException.Kind.NO_SPACE);
        KvStorage interrupted =
                new FaultyStorage(target, batch -> left.getAndDecrement() > 0 ? Fault.NONE : full);
        try {
            ImportedStore.load(file, ImportOptions.ALL, interrupted);
            return true;
        } catch (StorageException cut) {
            assertThat(cut.kind()).isEqualTo(StorageException.Kind.NO_SPACE);
            return false;
        }
    }

    @Test
    void uncertainAndRefusedCommitsAreRepeated() throws Exception {
        RandomHistory history = new RandomHistory(new Random(1), 12, 60, 30, 40);
        ScriptedFaults faults =
                new ScriptedFaults()
                        .then(Fault.of(Fault.Outcome.UNCERTAIN_APPLIED))
                        .then(Fault.of(Fault.Outcome.UNCERTAIN_NOT_APPLIED))
                        .then(Fault.of(Fault.Outcome.UNAVAILABLE))
                        .then(Fault.of(Fault.Outcome.UNCERTAIN_APPLIED));
        KvStorage target = new FaultyStorage(ImportedStore.limited(memory, 500, ANY), faults);
        ImportedStore.load(
                history.database.write(directory.resolve("db")), ImportOptions.ALL, target);
        requireEqual(store, history, key -> true, "after faults");
    }

    @Test
    void aRevisionCanBeLargerThanABatch() throws Exception {
        EtcdFixture database = new EtcdFixture().next();
        for (int i = 0; i < 20_000; i++) {
            database.put(key(i), Bytes.utf8("value"), 0);
        }
        database.next();
        for (int i = 0; i < 20_000; i++) {
            database.delete(key(i));
        }
        database.put(key(5), Bytes.utf8("again"), 0).put("z");
        KvStorage small = ImportedStore.limited(memory, 50_000, ANY);
        ImportedStore.load(database.write(directory.resolve("db")), ImportOptions.ALL, small);
        store.requireSound();
        assertThat(store.at(2)).hasSize(20_000);
        assertThat(store.at(3)).containsOnlyKeys(key(5));
        assertThat(store.at(4)).containsOnlyKeys(key(5), Bytes.utf8("z"));
        assertThat(store.events(0)).hasSize(40_002);
    }

    @Test
    void leasesAlarmsUsersAndRolesAreKept() throws Exception {
        AlarmMember alarm =
                AlarmMember.newBuilder().setMemberID(5).setAlarm(AlarmType.NOSPACE).build();
        EtcdFixture database =
                new EtcdFixture()
                        .lease(7, 60, 12)
                        .alarm(alarm)
                        .auth("root", 4)
                        .next()
                        .put(Bytes.utf8("k"), Bytes.utf8("v"), 7)
                        .next()
                        .put(Bytes.utf8("lost"), Bytes.utf8("v"), 8);
        ImportOptions options = new ImportOptions(KeyFilter.ALL, -3, 0);
        ImportReport report =
                ImportedStore.load(database.snapshot(directory.resolve("db")), options, memory);
        store.requireSound();
        assertThat(store.get(store.coder.leaseKey(7))).isEqualTo(new LeaseRecord(60, 12).encode());
        assertThat(AlarmRecord.decode(store.get(store.coder.alarmKey())).raised())
                .singleElement()
                .satisfies(raised -> assertThat(raised.memberId()).isEqualTo(5));
        AuthRecord auth = AuthRecord.decode(store.get(store.coder.authKey()));
        assertThat(auth.enabled()).isTrue();
        assertThat(auth.revision()).isEqualTo(4);
        assertThat(auth.tokenKey().length()).isEqualTo(32);
        assertThat(store.get(store.coder.userKey(Bytes.utf8("root")))).isNotNull();
        assertThat(store.get(store.coder.roleKey(Bytes.utf8("root")))).isNotNull();
        assertThat(IdentityRecord.decode(store.get(store.coder.identityKey())).clusterId())
                .isEqualTo(-3);
        assertThat(report.authEnabled()).isTrue();
        assertThat(report.leases()).isEqualTo(1);
        assertThat(report.addedLeases()).as("key lost names lease 8").isEqualTo(1);
    }

    @Test
    void anEmptyDatabaseAndABumpedRevisionAreImported() throws Exception {
        Path file = directory.resolve("db");
        MemoryStorage empty = new MemoryStorage();
        ImportedStore.load(new EtcdFixture().write(file), ImportOptions.ALL, empty);
        new ImportedStore(empty).requireSound();
        assertThat(new ImportedStore(empty).fence().revision()).isEqualTo(1);

        EtcdFixture bumped = new EtcdFixture().put("a").change(1_000_002, 0, false, new byte[0]);
        ImportedStore.load(bumped.compact(1_000_002).write(file), ImportOptions.ALL, memory);
        store.requireSound();
        assertThat(store.fence().revision()).isEqualTo(1_000_002);
        assertThat(store.compact().floor()).isEqualTo(1_000_002);
        assertThat(store.at(1_000_002)).containsOnlyKeys(Bytes.utf8("a"));
        assertThat(store.events(1_000_002)).isEmpty();
    }

    @Test
    void aDeleteMayBeTheFirstChangeOfAKey() throws Exception {
        EtcdFixture database = new EtcdFixture().put("a").next().delete(Bytes.utf8("b")).put("b");
        ImportedStore.load(database.write(directory.resolve("db")), ImportOptions.ALL, memory);
        store.requireSound();
        assertThat(store.at(3)).containsOnlyKeys(Bytes.utf8("a"));
        assertThat(store.at(4)).hasSize(2);
    }

    @Test
    void tooLongKeysAreNamedAndNothingIsWritten() throws Exception {
        EtcdFixture database = new EtcdFixture().put("a").put("b".repeat(300));
        Path file = database.write(directory.resolve("db"));
        assertThatThrownBy(
                        () ->
                                ImportedStore.load(
                                        file,
                                        ImportOptions.ALL,
                                        ImportedStore.limited(memory, 1000, 200)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("bbbb")
                .hasMessageContaining("of 300 bytes at revision 3");
        requireEmpty();
    }

    @Test
    void onlyAnEmptyStoreOrTheOwnImportIsTaken() throws Exception {
        Path file = new EtcdFixture().put("a").put("b").write(directory.resolve("db"));
        assertThat(isLoaded(file, ImportedStore.limited(memory, 1, ANY), 2)).isFalse();
        Path other = new EtcdFixture().put("c").write(directory.resolve("other"));
        assertThatThrownBy(() -> ImportedStore.load(other, ImportOptions.ALL, memory))
                .hasMessageContaining("unfinished import of " + file);
        ImportOptions options = new ImportOptions(new KeyFilter(keys("a"), List.of()), 0, 0);
        assertThatThrownBy(() -> ImportedStore.load(file, options, memory))
                .hasMessageContaining("other options");
        ImportedStore.load(file, ImportOptions.ALL, memory);
        store.requireSound();
        assertThatThrownBy(() -> ImportedStore.load(file, ImportOptions.ALL, memory))
                .hasMessageContaining("not empty");
    }

    @Test
    void twoImportsAtOnceDoNotMix() throws Exception {
        Path file = new EtcdFixture().put("a").put("b").put("c").write(directory.resolve("db"));
        AtomicInteger commits = new AtomicInteger();
        KvStorage overtaken =
                new FaultyStorage(
                        ImportedStore.limited(memory, 1, ANY),
                        batch -> {
                            if (commits.incrementAndGet() == 3) {
                                loadNow(file);
                            }
                            return Fault.NONE;
                        });
        assertThatThrownBy(() -> ImportedStore.load(file, ImportOptions.ALL, overtaken))
                .hasMessageContaining("another process");
        store.requireSound();
        assertThat(store.at(4)).hasSize(3);
    }

    private void loadNow(Path file) {
        try {
            ImportedStore.load(file, ImportOptions.ALL, memory);
        } catch (java.io.IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void requireEqual(
            ImportedStore actual, RandomHistory history, Predicate<Bytes> included, String name) {
        actual.requireSound();
        assertThat(actual.fence().revision()).as(name).isEqualTo(history.revision());
        assertThat(actual.fence().keys())
                .as(name)
                .isEqualTo(history.at(history.revision(), included).size());
        assertThat(actual.compact().floor()).as(name).isEqualTo(history.compacted);
        for (long revision = history.floor(); revision <= history.revision(); revision++) {
            TreeMap<Bytes, String> state = new TreeMap<>();
            actual.at(revision).forEach((key, kv) -> state.put(key, text(kv)));
            assertThat(state)
                    .as(name + " at " + revision)
                    .isEqualTo(history.at(revision, included));
        }
        assertThat(actual.events(history.compacted + 1))
                .as(name)
                .isEqualTo(history.events(included));
    }

    private static String text(Bytes encoded) {
        KeyValue kv = KeyValue.decode(encoded);
        return kv.modRevision() + " " + kv.value();
    }

    private void requireEmpty() {
        try (Snapshot snapshot = memory.snapshot();
                Cursor cursor =
                        snapshot.cursor(store.coder.metaRange(), Cursor.Direction.FORWARD)) {
            assertThat(cursor.next()).isFalse();
        }
    }

    private static Bytes key(int i) {
        return Bytes.utf8("key-%08d".formatted(i));
    }

    private static List<Bytes> keys(String... texts) {
        return List.of(texts).stream().map(Bytes::utf8).toList();
    }
}
