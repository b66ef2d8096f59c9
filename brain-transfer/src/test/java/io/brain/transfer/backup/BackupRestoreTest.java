package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.KeySpan;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdChain;
import io.brain.transfer.etcd.RecordedStore;
import io.brain.transfer.verify.Comparison;
import io.brain.transfer.verify.StoreSide;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is restored is what the cluster had. */
class BackupRestoreTest extends BackupFixture {
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
    void onlyTheDatabaseThatIsReadIsOpen() throws Exception {
        for (int i = 0; i < 6; i++) {
            change(new Random(i), 10);
            backup(Duration.ofDays(1));
        }
        try (RestoredFiles files = open(RestorePoint.NEWEST)) {
            assertThat(openDatabases()).isZero();
            ChangeSource.Changes changes = files.exact().changes(0, 0);
            long read = 0;
            for (var change = changes.next(); change != null; change = changes.next()) {
                assertThat(openDatabases()).isEqualTo(1);
                read = change.revision();
            }
            assertThat(read).isEqualTo(cluster.revision());
        }
    }

    private long openDatabases() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(this::isDatabase).count();
        }
    }

    private boolean isDatabase(Path descriptor) {
        try {
            Path file = Files.readSymbolicLink(descriptor);
            return file.startsWith(directory) && file.toString().endsWith(".db");
        } catch (IOException closedMeanwhile) {
            return false;
        }
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
                .hasMessageEndingWith(full.dataName() + " is missing, the data of a backup");
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
}
