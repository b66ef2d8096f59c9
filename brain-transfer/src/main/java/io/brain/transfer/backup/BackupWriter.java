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
     */
    public record Report(BackupRecord backup, List<BackupRecord> expired) {}

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
        try (BackupStore.Lock lock = store.lock()) {
            Backups backups = Backups.read(store);
            requireOf(clusterId, backups);
            Instant now = clock.instant();
            BackupRecord base = base(backups, now, fullEvery).orElse(null);
            Path file = Files.createTempFile(directory, "brain-backup-", ".db");
            try {
                BackupRecord added = add(cluster, clusterId, base, now, file, lock);
                List<BackupRecord> expired =
                        retention == null ? List.of() : retention.expired(backups.with(added));
                delete(expired);
                return new Report(added, expired);
            } finally {
                Files.deleteIfExists(file);
            }
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

    /** The backup to continue; empty: a full one is due. */
    private static Optional<BackupRecord> base(Backups backups, Instant now, Duration fullEvery) {
        Optional<BackupRecord> newest = backups.newest();
        if (newest.isEmpty()) {
            return newest;
        }
        try {
            Instant full = backups.chainOf(newest.get()).get(0).time();
            return full.plus(fullEvery).isAfter(now) ? newest : Optional.empty();
        } catch (BackupException broken) {
            return Optional.empty();
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
        receive(cluster, base, file);
        try (EtcdDatabase database = EtcdDatabase.open(file, true, listener)) {
            checkChanges(database);
            boolean full = database.after() == 0;
            String name = BackupRecord.nameAt(now);
            String dataName = BackupRecord.dataName(name, full, seal.encrypts());
            long storedBytes = putData(dataName, file, lock);
            checkStored(dataName, database, lock);
            BackupRecord backup =
                    new BackupRecord(
                            clusterId,
                            full ? "" : base.name(),
                            database.after(),
                            database.compactedRevision(),
                            database.newestRevision(),
                            now,
                            database.length(),
                            storedBytes,
                            HexFormat.of().formatHex(database.sha256().array()),
                            seal.encrypts());
            byte[] record = backup.encode().getBytes(StandardCharsets.UTF_8);
            lock.renew();
            store.put(name + BackupRecord.SUFFIX, out -> out.write(record));
            return backup;
        }
    }

    /** Receives an increment, or all if that is not possible. */
    private void receive(BackedUpCluster cluster, BackupRecord base, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (base == null || !cluster.receive(base.revision(), channel, listener)) {
                channel.truncate(0);
                cluster.receive(0, channel, listener);
            }
        }
    }

    private void checkChanges(EtcdDatabase database) throws IOException {
        ChangeSource.Changes changes = database.changes(0, 0);
        long read = 0;
        for (var change = changes.next(); change != null; change = changes.next()) {
            read += change.length();
            listener.progress("check", read, database.length());
        }
    }

    private long putData(String name, Path file, BackupStore.Lock lock) throws IOException {
        long length = Files.size(file);
        long[] stored = new long[1];
        store.put(
                name,
                out -> {
                    OutputStream counted = new CountingStream(out, stored);
                    try (InputStream in = Files.newInputStream(file);
                            OutputStream sealed = seal.seal(name, counted)) {
                        StreamCopy.copy(in, sealed, done -> step("store", done, length, lock));
                    }
                });
        return stored[0];
    }

    /** Reads an object back, as a restore does. */
    private void checkStored(String name, EtcdDatabase database, BackupStore.Lock lock)
            throws IOException {
        MessageDigest digest = PartFile.sha256();
        try (InputStream in = seal.unseal(name, store.open(name));
                OutputStream out =
                        new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            long length = database.length();
            StreamCopy.copy(in, out, done -> step("read back", done, length, lock));
        }
        if (!Bytes.wrap(digest.digest()).equals(database.sha256())) {
            store.delete(name);
            throw new BackupException(
                    "%s: what was read back differs from what was written".formatted(name));
        }
    }

    private void step(String name, long done, long length, BackupStore.Lock lock)
            throws IOException {
        lock.renew();
        listener.progress(name, done, length);
    }

    private void delete(List<BackupRecord> expired) throws IOException {
        for (BackupRecord backup : expired) {
            store.delete(backup.name() + BackupRecord.SUFFIX);
            store.delete(backup.dataName());
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
