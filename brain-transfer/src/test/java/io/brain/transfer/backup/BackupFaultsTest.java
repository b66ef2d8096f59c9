package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.etcd.EtcdException;
import io.brain.transfer.etcd.RecordedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Another state is never taken for the one that was asked for. */
class BackupFaultsTest extends BackupFixture {
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void anInterruptedRestoreIsNotContinuedToAnotherRevision() throws Exception {
        change(new Random(1), 20);
        backup(DAY);
        AtomicInteger commits = new AtomicInteger(1);
        Fault full = Fault.unavailable(StorageException.Kind.NO_SPACE);
        try (MemoryStorage memory = new MemoryStorage();
                RestoredFiles newest = open(RestorePoint.NEWEST);
                RestoredFiles earlier = open(new RestorePoint(10, null, null))) {
            FaultyStorage interrupted =
                    new FaultyStorage(
                            memory, batch -> commits.getAndDecrement() > 0 ? Fault.NONE : full);
            assertThatThrownBy(() -> load(newest.exact(), interrupted))
                    .isInstanceOf(StorageException.class);
            assertThatThrownBy(() -> load(earlier.exact(), memory))
                    .hasMessageContaining("unfinished import");
            assertThatThrownBy(() -> load(newest.bumped(1000), memory))
                    .hasMessageContaining("unfinished import");
            load(newest.exact(), memory);
        }
    }

    @Test
    void anInterruptedRestoreIsContinuedAfterAnotherBackup() throws Exception {
        change(new Random(1), 20);
        backup(DAY);
        AtomicInteger commits = new AtomicInteger(1);
        Fault full = Fault.unavailable(StorageException.Kind.NO_SPACE);
        try (MemoryStorage memory = new MemoryStorage()) {
            String newest;
            try (RestoredFiles files = open(RestorePoint.NEWEST)) {
                newest = files.newestBackup();
                FaultyStorage interrupted =
                        new FaultyStorage(
                                memory, batch -> commits.getAndDecrement() > 0 ? Fault.NONE : full);
                assertThatThrownBy(() -> load(files.exact(), interrupted))
                        .isInstanceOf(StorageException.class);
            }
            change(new Random(2), 20);
            backup(DAY);
            backup(Duration.ZERO);
            try (RestoredFiles files = open(RestorePoint.NEWEST)) {
                assertThatThrownBy(() -> load(files.exact(), memory))
                        .hasMessageContaining("unfinished import");
            }
            try (RestoredFiles files = open(new RestorePoint(0, null, newest))) {
                load(files.exact(), memory);
            }
        }
        assertThatThrownBy(() -> open(new RestorePoint(0, null, "none")))
                .hasMessage("there is no backup none");
    }

    @Test
    void aRevisionThatIsTooLargeIsRefused() throws Exception {
        change(new Random(2), 3);
        backup(DAY);
        try (RestoredFiles files = open(RestorePoint.NEWEST)) {
            for (long bump : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 2}) {
                assertThatThrownBy(() -> files.bumped(bump)).isInstanceOf(EtcdException.class);
            }
        }
    }

    @Test
    void aBackupWithAnotherKeyIsFull() throws Exception {
        backup(DAY);
        seal = key(1);
        assertThat(backup(DAY).isFull()).isTrue();
        change(new Random(3), 5);
        assertThat(backup(DAY).isFull()).isFalse();
        assertRestored(cluster.revision());
        seal = Seal.withoutKey();
        assertThat(backup(DAY).isFull()).isTrue();
        assertThat(backup(DAY).isFull()).isFalse();
        assertRestored(cluster.revision());
        seal = key(1);
        assertThat(backup(DAY).isFull()).isTrue();
    }

    private Seal key(int first) throws IOException {
        byte[] key = new byte[32];
        key[0] = (byte) first;
        Path file = directory.resolve("key" + first);
        return Seal.withKey(Files.writeString(file, Base64.getEncoder().encodeToString(key)));
    }

    @Test
    void whatWasCommittedDuringABackupIsNotOfItsTime() throws Exception {
        change(new Random(4), 10);
        long early = cluster.revision();
        Instant request = Instant.now();
        Thread.sleep(2100);
        change(new Random(5), 10);
        now = request;
        backup(DAY);
        Thread.sleep(1100);
        change(new Random(6), 10);
        now = Instant.now();
        backup(DAY);
        assertThat(revisionAt(request)).isEqualTo(early);
    }

    @Test
    void aClusterWithAnotherHistoryIsBackedUpAsAWhole() throws Exception {
        change(new Random(7), 20);
        backup(DAY);
        cluster.close();
        Thread.sleep(1100);
        cluster = new RecordedStore();
        change(new Random(8), 30);
        assertThat(backup(DAY).isFull()).isTrue();
        assertRestored(cluster.revision());
        change(new Random(9), 5);
        assertThat(backup(DAY).isFull()).isFalse();
        assertRestored(cluster.revision());
    }

    @Test
    void anOlderTimeThanThatOfTheNewestBackupIsRefused() throws Exception {
        backup(DAY);
        Instant right = now;
        now = right.plus(DAY);
        BackupRecord wrong = backup(DAY);
        now = right;
        assertThatThrownBy(() -> backup(DAY))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("the newest backup is of 2026-01-02T00:00:00.002Z")
                .hasMessageContaining("delete 20260102T000000.002Z.json");
        assertThat(store.names()).contains(wrong.dataName());
        store.delete(wrong.name() + BackupRecord.SUFFIX);
        backup(DAY);
        assertThat(Backups.read(store).all()).hasSize(2);
        assertThat(store.names()).hasSize(4).doesNotContain(wrong.dataName());
    }

    @Test
    void theLockIsRenewedBeforeDataAreStored() throws Exception {
        change(new Random(10), 10);
        List<String> stored = new ArrayList<>();
        BackupStore taken =
                new ForwardingStore(store) {
                    @Override
                    public Lock lock() {
                        return new Lock() {
                            @Override
                            public void renew() throws IOException {
                                throw new IOException("lost");
                            }

                            @Override
                            public void close() {
                                // Nothing is open.
                            }
                        };
                    }

                    @Override
                    public void put(String name, Content content) throws IOException {
                        stored.add(name);
                        super.put(name, content);
                    }
                };
        assertThatThrownBy(() -> backup(taken, DAY))
                .isInstanceOf(IOException.class)
                .hasMessage("lost");
        assertThat(stored).isEmpty();
    }

    @Test
    void aBackupCountsIfExpiredOnesCannotBeDeleted() throws Exception {
        BackupRecord first = backup(Duration.ZERO);
        BackupStore keeping =
                new ForwardingStore(store) {
                    @Override
                    public void delete(String name) throws IOException {
                        throw new IOException("denied");
                    }
                };
        BackupWriter.Report report = write(keeping, Duration.ZERO, Retention.parse("1y"));
        assertThat(report.warnings()).containsExactly("cannot delete expired backups: denied");
        assertThat(report.expired()).isEmpty();
        assertThat(Backups.read(store).all()).containsExactly(first, report.backup());
    }

    @Test
    void aBackupCountsIfTheLockCannotBeReleased() throws Exception {
        BackupStore keeping =
                new ForwardingStore(store) {
                    @Override
                    public Lock lock() throws IOException {
                        Lock lock = super.lock();
                        return new Lock() {
                            @Override
                            public void renew() throws IOException {
                                lock.renew();
                            }

                            @Override
                            public void close() throws IOException {
                                lock.close();
                                throw new IOException("unreachable");
                            }
                        };
                    }
                };
        BackupWriter.Report report = write(keeping, DAY, null);
        assertThat(report.warnings()).containsExactly("cannot release the lock: unreachable");
        assertThat(Backups.read(store).all()).containsExactly(report.backup());
    }

    @Test
    void aBackupThatUnpacksToMoreThanItsRecordSaysIsRefused() throws Exception {
        change(new Random(11), 10);
        BackupRecord backup = backup(DAY);
        String record = backup.encode().replace("\"bytes\":" + backup.bytes(), "\"bytes\":9");
        store.put(
                backup.name() + BackupRecord.SUFFIX,
                out -> out.write(record.getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() -> restore(5, false))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("is longer than its record says");
    }

    @Test
    void anIncrementNeedsTheWholeLog() throws Exception {
        cluster.change(RecordedStore.put("a", "1", 0));
        backup(DAY);
        cluster.change(RecordedStore.put("a", "2", 0));
        cluster.change(RecordedStore.put("a", "3", 0));
        KeyCoder coder = KeyCoder.of(RecordedStore.KEYSPACE);
        WriteBatch lost = WriteBatch.builder().delete(coder.logKey(cluster.revision(), 0)).build();
        cluster.storage().commit(lost).toCompletableFuture().join();
        assertThatThrownBy(() -> backup(DAY)).isInstanceOf(StorageException.class);
        assertThat(Backups.read(store).all()).hasSize(1);
    }
}
