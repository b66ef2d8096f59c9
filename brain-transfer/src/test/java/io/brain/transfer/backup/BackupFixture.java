package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.ExportScope;
import io.brain.transfer.etcd.RecordedStore;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.Importer;
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
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A cluster, its backups, and what a restore has. */
abstract class BackupFixture {
    static final StepListener SILENT = (step, done, total) -> {};
    private static final String RESTORED = "restored";

    @TempDir Path directory;
    RecordedStore cluster;
    BackupStore store;
    Seal seal;
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    long clusterId = 7;

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

    static class ForwardingStore implements BackupStore {
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

    void change(Random random, int revisions) throws Exception {
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

    BackupRecord backup(Duration fullEvery) throws IOException {
        return backup(store, fullEvery);
    }

    BackupRecord backup(BackupStore to, Duration fullEvery) throws IOException {
        return write(to, fullEvery, null).backup();
    }

    BackupWriter.Report write(BackupStore to, Duration fullEvery, Retention retention)
            throws IOException {
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
                .write(source, fullEvery, retention);
    }

    MemoryStorage restore(long revision, boolean bumped) throws IOException {
        try (RestoredFiles files = open(new RestorePoint(revision, null, null))) {
            return load(bumped ? files.bumped(1000) : files.exact());
        }
    }

    RestoredFiles open(RestorePoint point) throws IOException {
        return RestoredFiles.open(store, seal, point, directory, SILENT);
    }

    static MemoryStorage load(ChangeSource source) throws IOException {
        MemoryStorage storage = new MemoryStorage();
        load(source, storage);
        return storage;
    }

    static void load(ChangeSource source, KvStorage storage) throws IOException {
        Importer importer =
                new Importer(source, "backup", RESTORED, ImportOptions.ALL, new Random(1), SILENT);
        importer.check();
        var unused = importer.run(storage);
    }

    StoreSide side(MemoryStorage storage) {
        return new StoreSide("restored", storage, RESTORED, directory.resolve("sort"));
    }

    long revisionAt(Instant time) throws IOException {
        try (RestoredFiles files = open(new RestorePoint(0, time, null))) {
            return files.revision();
        }
    }

    void assertRestored(long revision) throws IOException {
        try (MemoryStorage storage = restore(revision, false);
                StoreSide side = side(storage)) {
            assertThat(side.newestRevision()).isEqualTo(revision);
            assertThat(entries(side, revision)).isEqualTo(model(revision));
        }
    }

    static Map<String, Bytes> entries(Side side, long revision) throws IOException {
        Map<String, Bytes> all = new TreeMap<>();
        try (Side.Entries entries = side.entries(KeySpan.ALL, revision)) {
            for (Side.Entry entry = entries.next(); entry != null; entry = entries.next()) {
                all.put(entry.key().toString(), entry.kv());
            }
        }
        return all;
    }

    Map<String, Bytes> model(long revision) {
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
