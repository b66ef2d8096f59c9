package io.brain.transfer.backup;

import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.StepListener;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Makes a backup: receives the database into a temporary file, checks it, stores it, reads back
 * what was stored, and only then adds the record that makes it a backup. Used by one thread.
 */
public final class BackupWriter {
    private final BackupStore store;
    private final Seal seal;
    private final Path directory;
    private final Clock clock;
    private final StepListener listener;

    /**
     * Creates a writer.
     *
     * @param directory for the temporary file
     */
    public BackupWriter(
            BackupStore store, Seal seal, Path directory, Clock clock, StepListener listener) {
        this.store = store;
        this.seal = seal;
        this.directory = directory;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * What was done.
     *
     * @param expired backups that were deleted
     * @param warnings what failed after the backup was added
     */
    public record Report(BackupRecord backup, List<BackupRecord> expired, List<String> warnings) {
        private Report(BackupRecord backup) {
            this(backup, new ArrayList<>(), new ArrayList<>());
        }
    }

    /**
     * Makes a backup.
     *
     * @param fullEvery a full backup follows one that is older than this, else an increment; zero:
     *     a full one
     * @param retention deletes older backups; null: none
     * @throws IOException if nothing was added; the message is one line
     */
    public Report write(BackedUpCluster cluster, Duration fullEvery, Retention retention)
            throws IOException {
        String clusterId = Long.toHexString(cluster.id());
        BackupStore.Lock lock = store.lock();
        Report report = null;
        try {
            report = write(cluster, clusterId, fullEvery, retention, lock);
        } finally {
            unlock(lock, report);
        }
        return report;
    }

    private static void unlock(BackupStore.Lock lock, Report report) {
        try {
            lock.close();
        } catch (IOException failure) {
            if (report != null) { // else the other failure is told
                report.warnings.add("cannot release the lock: " + failure.getMessage());
            }
        }
    }

    private Report write(
            BackedUpCluster cluster,
            String clusterId,
            Duration fullEvery,
            Retention retention,
            BackupStore.Lock lock)
            throws IOException {
        Backups backups = Backups.read(store);
        requireOf(clusterId, backups);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        requireLatest(now, backups);
        for (String data : backups.dataWithoutRecord()) {
            store.delete(data);
        }
        BackupRecord base = base(backups, now, fullEvery).orElse(null);
        Path file = Files.createTempFile(directory, "brain-backup-", ".db");
        try {
            BackupRecord added = add(cluster, clusterId, base, now, file, lock);
            Report report = new Report(added);
            if (retention != null) {
                delete(retention.expired(backups.with(added)), report);
            }
            return report;
        } catch (UncheckedIOException lockLost) {
            throw lockLost.getCause();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private void requireOf(String clusterId, Backups backups) throws BackupException {
        for (BackupRecord backup : backups.all()) {
            if (!backup.clusterId().equals(clusterId)) {
                throw new BackupException(
                        "%s has backups of the cluster %s, and this is the cluster %s"
                                .formatted(store, backup.clusterId(), clusterId));
            }
        }
    }

    /** The order of backups is that of their times. */
    private static void requireLatest(Instant now, Backups backups) throws BackupException {
        Instant newest = backups.newest().map(BackupRecord::time).orElse(Instant.MIN);
        if (!now.isAfter(newest)) {
            throw new BackupException(
                    ("it is %s, and the newest backup is of %s: set the clock, or delete %s%s if"
                                    + " the clock was wrong then")
                            .formatted(
                                    now, newest, BackupRecord.nameAt(newest), BackupRecord.SUFFIX));
        }
    }

    /** The backup to continue; empty: a full one is due. */
    private Optional<BackupRecord> base(Backups backups, Instant now, Duration fullEvery) {
        Optional<BackupRecord> newest = backups.newest();
        if (newest.isEmpty()) {
            return newest;
        }
        try {
            Instant full = backups.chainOf(newest.get()).get(0).time();
            return full.plus(fullEvery).isAfter(now) && canRead(newest.get())
                    ? newest
                    : Optional.empty();
        } catch (IOException broken) {
            return Optional.empty();
        }
    }

    /** A restore has one key for the whole chain. */
    private boolean canRead(BackupRecord backup) throws IOException {
        String name = backup.dataName();
        if (backup.encrypted() != seal.encrypts()) {
            return false;
        }
        try (InputStream in = seal.unseal(name, store.open(name))) {
            return in.read() >= 0;
        }
    }

    private BackupRecord add(
            BackedUpCluster cluster,
            String clusterId,
            BackupRecord base,
            Instant now,
            Path file,
            BackupStore.Lock lock)
            throws IOException {
        StepListener steps = renewing(lock);
        receive(cluster, base, file, steps);
        try (EtcdDatabase database = EtcdDatabase.open(file, true, steps)) {
            if (database.after() == 0 || continues(base, database)) {
                BackupRecord backup = store(database, clusterId, base, now, file, steps);
                lock.renew();
                byte[] record = backup.encode().getBytes(StandardCharsets.UTF_8);
                store.put(backup.name() + BackupRecord.SUFFIX, out -> out.write(record));
                return backup;
            }
        }
        return add(cluster, clusterId, null, now, file, lock);
    }

    /** Shows the progress, and keeps the lock; throws an UncheckedIOException if it was lost. */
    private StepListener renewing(BackupStore.Lock lock) {
        return (step, done, total) -> {
            try {
                lock.renew();
            } catch (IOException lost) {
                throw new UncheckedIOException(lost);
            }
            listener.progress(step, done, total);
        };
    }

    /** Receives an increment, or all if that is not possible. */
    private static void receive(
            BackedUpCluster cluster, BackupRecord base, Path file, StepListener steps)
            throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            if (base == null || !cluster.receive(base.revision(), channel, steps)) {
                channel.truncate(0);
                cluster.receive(0, channel, steps);
            }
        }
    }

    /**
     * True if the last revision of the base has its time in the increment, too. Else the cluster
     * went back to an earlier state meanwhile, as by a snapshot of its disk, and reached the
     * revision again with other changes; or nothing tells.
     */
    private static boolean continues(BackupRecord base, EtcdDatabase increment) throws IOException {
        Instant committed = Instant.ofEpochSecond(base.committed());
        return base.revision() == 1 || increment.revisionAt(committed) >= base.revision();
    }

    /** Stores the data. */
    private BackupRecord store(
            EtcdDatabase database,
            String clusterId,
            BackupRecord base,
            Instant now,
            Path file,
            StepListener steps)
            throws IOException {
        checkChanges(database, steps);
        boolean full = database.after() == 0;
        String dataName = BackupRecord.dataName(BackupRecord.nameAt(now), full, seal.encrypts());
        long storedBytes = putData(dataName, file, steps);
        checkStored(dataName, database, steps);
        return new BackupRecord(
                clusterId,
                full ? "" : base.name(),
                database.after(),
                database.compactedRevision(),
                database.newestRevision(),
                database.lastSecond(),
                now,
                database.length(),
                storedBytes,
                HexFormat.of().formatHex(database.sha256().array()),
                seal.encrypts());
    }

    private static void checkChanges(EtcdDatabase database, StepListener steps) throws IOException {
        ChangeSource.Changes changes = database.changes(0, 0);
        long read = 0;
        for (var change = changes.next(); change != null; change = changes.next()) {
            read += change.length();
            steps.progress("check", read, database.length());
        }
    }

    private long putData(String name, Path file, StepListener steps) throws IOException {
        long length = Files.size(file);
        long[] stored = new long[1];
        store.put(
                name,
                out -> {
                    OutputStream counted = new CountingStream(out, stored);
                    try (InputStream in = Files.newInputStream(file);
                            OutputStream sealed = seal.seal(name, counted)) {
                        StreamCopy.copy(in, sealed, done -> steps.progress("store", done, length));
                    }
                });
        return stored[0];
    }

    /** Reads an object back, as a restore does. */
    private void checkStored(String name, EtcdDatabase database, StepListener steps)
            throws IOException {
        MessageDigest digest = PartFile.sha256();
        try (InputStream in = seal.unseal(name, store.open(name));
                OutputStream out =
                        new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            long length = database.length();
            StreamCopy.copy(in, out, done -> steps.progress("read back", done, length));
        }
        if (!Bytes.wrap(digest.digest()).equals(database.sha256())) {
            store.delete(name);
            throw new BackupException(
                    "%s: what was read back differs from what was written".formatted(name));
        }
    }

    /** Deletes until that fails; the next backup goes on. */
    private void delete(List<BackupRecord> expired, Report report) {
        try {
            for (BackupRecord backup : expired) {
                store.delete(backup.name() + BackupRecord.SUFFIX);
                store.delete(backup.dataName());
                report.expired.add(backup);
            }
        } catch (IOException failure) {
            report.warnings.add("cannot delete expired backups: " + failure.getMessage());
        }
    }

    /** Counts bytes; closing it does not close what it writes to. */
    private static final class CountingStream extends FilterOutputStream {
        private final long[] count;

        CountingStream(OutputStream out, long[] count) {
            super(out);
            this.count = count;
        }

        @Override
        public void write(int value) throws IOException {
            out.write(value);
            count[0]++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            count[0] += length;
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
