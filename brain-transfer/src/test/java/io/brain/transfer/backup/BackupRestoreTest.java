package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdChain;
import io.brain.transfer.etcd.ExportScope;
import io.brain.transfer.etcd.RecordedStore;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.Importer;
import io.brain.transfer.verify.Comparison;
import io.brain.transfer.verify.Side;
import io.brain.transfer.verify.StoreSide;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is restored is what the cluster had. */
class BackupRestoreTest {
    private static final StepListener SILENT = (step, done, total) -> {};
    private static final String RESTORED = "restored";

    @TempDir Path directory;
    private RecordedStore cluster;
    private BackupStore store;
    private Seal seal;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long clusterId = 7;

    @BeforeEach
    void open() throws Exception {
        cluster = new RecordedStore();
        store = new DirectoryStore(directory.resolve("backups"));
        Path key = directory.resolve("key");
        Files.writeString(key, Base64.getEncoder().encodeToString(new byte[32]));
        seal = Seal.withKey(key);
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        cluster.close();
    }

    @Test
    void eachRevisionIsRestoredFromAFullBackupAndItsIncrements() throws Exception {
        Random random = new Random(3);
        List<BackupRecord> backups = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            change(random, 12);
            if (i == 2) {
                cluster.compact(cluster.revision() - 20, true);
            }
            backups.add(backup(Duration.ofDays(1)));
        }
        assertThat(backups.stream().map(BackupRecord::isFull))
                .containsExactly(true, false, false, false, false);
        for (long revision = 2; revision <= cluster.revision(); revision++) {
            assertRestored(revision);
        }
        assertThat(restoredNewest()).isEqualTo(cluster.revision());
    }

    @Test
    void aFullBackupFollowsWhatWasCompactedOrIsOld() throws Exception {
        change(new Random(4), 20);
        backup(Duration.ofDays(1));
        change(new Random(5), 20);
        cluster.compact(cluster.revision(), true);
        assertThat(backup(Duration.ofDays(1)).isFull()).isTrue();
        assertThat(backup(Duration.ofDays(1)).isFull()).isFalse();
        now = now.plus(Duration.ofDays(1));
        assertThat(backup(Duration.ofDays(1)).isFull()).isTrue();
        assertThat(backup(Duration.ZERO).isFull()).isTrue();
        assertRestored(cluster.revision());
        assertRestored(5);
        assertThatThrownBy(() -> restore(25, false))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("no backup has revision 25");
    }

    @Test
    void anIncrementWithoutChangesContinuesTheChain() throws Exception {
        backup(Duration.ofDays(1));
        backup(Duration.ofDays(1));
        cluster.change(RecordedStore.put("a", "1", 0));
        backup(Duration.ofDays(1));
        backup(Duration.ofDays(1));
        assertThat(Backups.read(store).all()).hasSize(4);
        assertRestored(2);
    }

    @Test
    void aWholeRestoreRaisesTheRevisionAndCompactsThePast() throws Exception {
        change(new Random(6), 30);
        backup(Duration.ofDays(1));
        try (MemoryStorage storage = restore(20, true);
                StoreSide side = side(storage)) {
            assertThat(side.newestRevision()).isEqualTo(1020);
            assertThat(entries(side, 1020)).isEqualTo(model(20));
            assertThatThrownBy(() -> side.entries(KeySpan.ALL, 1019)).hasMessageContaining("1019");
        }
    }

    @Test
    void theStateAtATimeIsThatOfTheLastCommitBefore() throws Exception {
        now = Instant.now();
        change(new Random(7), 10);
        long early = cluster.revision();
        Instant between = Instant.now();
        Thread.sleep(2100);
        change(new Random(8), 10);
        now = Instant.now();
        backup(Duration.ofDays(1));
        change(new Random(9), 10);
        Thread.sleep(1100);
        now = Instant.now();
        backup(Duration.ofDays(1));
        assertThat(revisionAt(between.plusSeconds(1))).isEqualTo(early);
        assertThat(revisionAt(now.minusSeconds(1))).isEqualTo(cluster.revision());
        assertThatThrownBy(() -> revisionAt(between.minusSeconds(60)))
                .hasMessageContaining("no backup says what the state at ");
        assertThatThrownBy(() -> revisionAt(now))
                .hasMessageStartingWith("the newest backup is of ");
    }

    @Test
    void anotherClusterIsRefused() throws Exception {
        backup(Duration.ofDays(1));
        clusterId = 8;
        assertThatThrownBy(() -> backup(Duration.ofDays(1)))
                .isInstanceOf(BackupException.class)
                .hasMessageEndingWith("has backups of the cluster 7, and this is the cluster 8");
        assertThat(Backups.read(store).all()).hasSize(1);
    }

    @Test
    void aChangedOrMissingObjectIsRefused() throws Exception {
        change(new Random(10), 10);
        BackupRecord full = backup(Duration.ofDays(1));
        change(new Random(11), 10);
        BackupRecord increment = backup(Duration.ofDays(1));
        Path data = directory.resolve("backups").resolve(full.dataName());
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);
        assertThatThrownBy(() -> restore(increment.revision(), false))
                .isInstanceOf(IOException.class);
        Files.delete(data);
        assertThatThrownBy(() -> restore(increment.revision(), false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not exist");
        store.delete(full.name() + BackupRecord.SUFFIX);
        assertThatThrownBy(() -> restore(increment.revision(), false))
                .hasMessageContaining("is missing, which " + increment.name());
        assertThat(backup(Duration.ofDays(1)).isFull()).isTrue();
        assertRestored(cluster.revision());
    }

    @Test
    void aBackupThatIsReadBackWronglyIsNotAdded() throws Exception {
        change(new Random(12), 10);
        BackupStore lossy =
                new ForwardingStore(store) {
                    @Override
                    public InputStream open(String name) throws IOException {
                        InputStream whole = super.open(name);
                        whole.skipNBytes(name.endsWith(".aes") ? 100 : 0);
                        return whole;
                    }
                };
        assertThatThrownBy(() -> backup(lossy, Duration.ZERO)).isInstanceOf(IOException.class);
        assertThat(Backups.read(store).all()).isEmpty();
    }

    private static class ForwardingStore implements BackupStore {
        private final BackupStore to;

        ForwardingStore(BackupStore to) {
            this.to = to;
        }

        @Override
        public Lock lock() throws IOException {
            return to.lock();
        }

        @Override
        public void put(String name, Content content) throws IOException {
            to.put(name, content);
        }

        @Override
        public InputStream open(String name) throws IOException {
            return to.open(name);
        }

        @Override
        public List<String> names() throws IOException {
            return to.names();
        }

        @Override
        public void delete(String name) throws IOException {
            to.delete(name);
        }

        @Override
        public void close() throws IOException {
            to.close();
        }
    }

    private void change(Random random, int revisions) throws Exception {
        for (int i = 0; i < revisions; i++) {
            String key = "k" + random.nextInt(10);
            switch (random.nextInt(4)) {
                case 0 ->
                        cluster.change(
                                RecordedStore.put(key, "x" + i, 0),
                                RecordedStore.put(key + "/b", "y", 0));
                case 1 -> {
                    Op put = RecordedStore.put(key, "", 0);
                    cluster.change(RecordedStore.deleteFrom("k5"), put);
                }
                default -> cluster.change(RecordedStore.put(key, "v".repeat(i), 0));
            }
        }
    }

    private BackupRecord backup(Duration fullEvery) throws IOException {
        return backup(store, fullEvery);
    }

    private BackupRecord backup(BackupStore to, Duration fullEvery) throws IOException {
        now = now.plusMillis(1);
        BackedUpCluster source =
                new BackedUpCluster() {
                    @Override
                    public long id() {
                        return clusterId;
                    }

                    @Override
                    public boolean receive(long after, FileChannel file, StepListener listener)
                            throws IOException {
                        try {
                            cluster.exporter(1 << 20)
                                    .export(
                                            file,
                                            directory.resolve("sort"),
                                            ExportScope.increment(after),
                                            listener);
                            return true;
                        } catch (BackendException compacted) {
                            return false;
                        }
                    }
                };
        Clock clock = Clock.fixed(now, ZoneOffset.UTC);
        return new BackupWriter(to, seal, directory, clock, SILENT)
                .write(source, fullEvery, null)
                .backup();
    }

    private MemoryStorage restore(long revision, boolean bumped) throws IOException {
        try (RestoredFiles files = open(new RestorePoint(revision, null))) {
            return load(bumped ? files.bumped(1000) : files.exact());
        }
    }

    private RestoredFiles open(RestorePoint point) throws IOException {
        return RestoredFiles.open(store, seal, point, directory, SILENT);
    }

    private MemoryStorage load(ChangeSource source) throws IOException {
        MemoryStorage storage = new MemoryStorage();
        Importer importer =
                new Importer(source, "backup", RESTORED, ImportOptions.ALL, new Random(1), SILENT);
        importer.check();
        importer.run(storage);
        return storage;
    }

    private StoreSide side(MemoryStorage storage) {
        return new StoreSide("restored", storage, RESTORED, directory.resolve("sort"));
    }

    private long revisionAt(Instant time) throws IOException {
        try (RestoredFiles files = open(new RestorePoint(0, time))) {
            return files.revision();
        }
    }

    private long restoredNewest() throws IOException {
        try (RestoredFiles files = open(RestorePoint.NEWEST);
                MemoryStorage storage = load(files.exact());
                StoreSide side = side(storage);
                StoreSide original =
                        new StoreSide(
                                "cluster",
                                cluster.storage(),
                                RecordedStore.KEYSPACE,
                                directory.resolve("sort"))) {
            assertThat(Comparison.of(side, original, KeySpan.ALL, 0, SILENT).isEqual()).isTrue();
            EtcdChain chain = files.exact();
            return chain.newestRevision();
        }
    }

    private void assertRestored(long revision) throws IOException {
        try (MemoryStorage storage = restore(revision, false);
                StoreSide side = side(storage)) {
            assertThat(side.newestRevision()).isEqualTo(revision);
            assertThat(entries(side, revision)).isEqualTo(model(revision));
        }
    }

    private static Map<String, Bytes> entries(Side side, long revision) throws IOException {
        Map<String, Bytes> all = new TreeMap<>();
        try (Side.Entries entries = side.entries(KeySpan.ALL, revision)) {
            for (Side.Entry entry = entries.next(); entry != null; entry = entries.next()) {
                all.put(entry.key().toString(), entry.kv());
            }
        }
        return all;
    }

    private Map<String, Bytes> model(long revision) {
        Map<String, Bytes> live = new TreeMap<>();
        for (RecordedStore.Change change : cluster.changes()) {
            if (change.revision() <= revision) {
                if (change.tombstone()) {
                    live.remove(change.key());
                } else {
                    live.put(change.key(), change.kv());
                }
            }
        }
        return live;
    }
}
