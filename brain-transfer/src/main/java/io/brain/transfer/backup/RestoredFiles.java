package io.brain.transfer.backup;

import io.brain.transfer.etcd.EtcdChain;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.etcd.StepListener;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;

/**
 * The databases that a restore reads, copied out of a store of backups and checked. Used by one
 * thread; closing it deletes the copies.
 */
public final class RestoredFiles implements Closeable {
    private final BackupStore store;
    private final Seal seal;
    private final Path directory;
    private final StepListener listener;
    private final Deque<EtcdDatabase> databases = new ArrayDeque<>();
    private final List<Path> files = new ArrayList<>();
    private String newestBackup = "";
    private long revision;

    private RestoredFiles(BackupStore store, Seal seal, Path directory, StepListener listener) {
        this.store = store;
        this.seal = seal;
        this.directory = directory;
        this.listener = listener;
    }

    /**
     * Copies what a restore to {@code point} needs.
     *
     * @param directory for the copies
     * @throws IOException if backups are missing or damaged; the message is one line
     */
    public static RestoredFiles open(
            BackupStore store, Seal seal, RestorePoint point, Path directory, StepListener listener)
            throws IOException {
        RestoredFiles files = new RestoredFiles(store, seal, directory, listener);
        try {
            files.fetch(point);
            return files;
        } catch (IOException | RuntimeException failure) {
            files.close();
            throw failure;
        }
    }

    private void fetch(RestorePoint point) throws IOException {
        Backups all = Backups.read(store);
        Backups backups = point.newest() == null ? all : all.until(point.newest());
        newestBackup = backups.newest().map(BackupRecord::name).orElse("");
        if (point.time() == null) {
            List<BackupRecord> chain = backups.chainTo(point.revision());
            fetch(chain);
            revision = point.revision() == 0 ? last(chain).revision() : point.revision();
            return;
        }
        fetch(backups.chainOf(backups.firstAfter(point.time())));
        revision = revisionAt(point.time());
    }

    /** A database can end with changes after the time of its backup: the next one skips them. */
    private long revisionAt(Instant time) throws IOException {
        Iterator<EtcdDatabase> lastFirst = databases.descendingIterator();
        while (lastFirst.hasNext()) {
            EtcdDatabase database = lastFirst.next();
            long found = database.revisionAt(time);
            database.release();
            if (found > 0) {
                return found;
            }
        }
        EtcdDatabase first = databases.getFirst();
        if (databases.size() == 1 || first.lastSecond() > 0) {
            throw new BackupException("no backup says what the state at %s was".formatted(time));
        }
        return first.newestRevision(); // its changes have no times; those after it are later
    }

    private static BackupRecord last(List<BackupRecord> chain) {
        return chain.get(chain.size() - 1);
    }

    private void fetch(List<BackupRecord> chain) throws IOException {
        for (BackupRecord backup : chain) {
            if (backup.encrypted() && !seal.encrypts()) {
                throw new BackupException(
                        backup.name() + " is encrypted: --encryption-key is missing");
            }
        }
        for (BackupRecord backup : chain) {
            databases.add(fetch(backup));
        }
    }

    private EtcdDatabase fetch(BackupRecord backup) throws IOException {
        String name = backup.dataName();
        Path file = Files.createTempFile(directory, "brain-restore-", ".db");
        files.add(file);
        Seal used = backup.encrypted() ? seal : Seal.withoutKey();
        try (InputStream in = used.unseal(name, store.open(name));
                OutputStream out = Files.newOutputStream(file)) {
            StreamCopy.copy(in, out, done -> fetched(backup, done));
        }
        EtcdDatabase database = EtcdDatabase.open(file, true, listener);
        if (!HexFormat.of().formatHex(database.sha256().array()).equals(backup.sha256())) {
            database.close();
            throw new BackupException(
                    name + " is damaged: its hash differs from that in its record");
        }
        database.release(); // a chain can be long
        return database;
    }

    private void fetched(BackupRecord backup, long bytes) throws BackupException {
        if (bytes > backup.bytes()) { // before it fills the disk
            throw new BackupException(
                    backup.dataName() + " is damaged: it is longer than its record says");
        }
        listener.progress("fetch", bytes, backup.bytes());
    }

    /** The name of the newest backup: until it, the same point needs the same databases. */
    public String newestBackup() {
        return newestBackup;
    }

    /** The revision of the state to restore. */
    public long revision() {
        return revision;
    }

    /** The history up to the revision as it was. */
    public EtcdChain exact() throws IOException {
        long compacted = databases.getFirst().compactedRevision();
        return new EtcdChain(List.copyOf(databases), revision, revision, compacted);
    }

    /**
     * The state, with a newest revision that is higher by {@code bump}, and compacted there: so a
     * watcher of the former cluster learns that it missed changes.
     *
     * @throws IOException if the revision would be too large
     */
    public EtcdChain bumped(long bump) throws IOException {
        long newest = revision + bump;
        return new EtcdChain(List.copyOf(databases), revision, newest, newest);
    }

    @Override
    public void close() throws IOException {
        for (EtcdDatabase database : databases) {
            database.close();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }
}
