package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.List;

/**
 * An unfinished import. Stored with its first batch, replaced with each one, removed with the last,
 * which stores the fence. Nothing else may use the store meanwhile.
 *
 * <p>An import for a standby keeps the record with its last batch: a server then continues the
 * import with each revision of the running source, and removes the record when the standby ends.
 *
 * @param process random number of the process that stored the record
 * @param batch number of the batch, +1 each: makes each record unique, with the process
 * @param source identifies what is imported and how; an import continues only its own record
 * @param file path of the source, for the operator
 * @param progress what is stored so far
 * @param standbyOf id of the running cluster that the store follows; 0: it follows none
 */
public record ImportRecord(
        long process, long batch, Bytes source, String file, Progress progress, long standbyOf) {
    private static final int FORMAT = 1;

    /**
     * What is stored so far.
     *
     * @param revision of the last change that is dealt with
     * @param sub its sub-revision
     * @param logRevision revision of the last event in the commit log
     * @param logSub its sub-revision
     * @param logPart number of the next log entry if the revision is dealt with in part; else 0
     * @param bytes as in {@link Fence}
     * @param keys as in {@link Fence}
     * @param read bytes of the changes that are dealt with
     */
    public record Progress(
            long revision,
            int sub,
            long logRevision,
            int logSub,
            int logPart,
            long bytes,
            long keys,
            long read) {}

    /** This process's record of the batch after that of {@code before}. */
    public ImportRecord after(ImportRecord before, Progress stored) {
        return new ImportRecord(process, before.batch + 1, source, file, stored, 0);
    }

    /** The record of a standby, when everything is imported that the source's file has. */
    public ImportRecord asStandbyOf(long cluster) {
        return new ImportRecord(process, batch + 1, source, file, progress, cluster);
    }

    /** True if the store follows a running cluster. */
    public boolean isStandby() {
        return standbyOf != 0;
    }

    /** The stored form: a format byte, the numbers, source and file, the cluster if not 0. */
    public Bytes encode() {
        ByteWriter out =
                new ByteWriter(128)
                        .putByte(FORMAT)
                        .putLong(process)
                        .putLong(batch)
                        .putLong(progress.revision)
                        .putInt(progress.sub)
                        .putLong(progress.logRevision)
                        .putInt(progress.logSub)
                        .putInt(progress.logPart)
                        .putLong(progress.bytes)
                        .putLong(progress.keys)
                        .putLong(progress.read)
                        .putSized(source)
                        .putStrings(List.of(file));
        return (standbyOf == 0 ? out : out.putLong(standbyOf)).finish();
    }

    /**
     * Reads the stored form.
     *
     * @param stored null: no import
     * @return null: no import
     * @throws StorageException kind REFUSED if another version of Brain stored it
     */
    public static ImportRecord decode(Bytes stored) {
        if (stored == null) {
            return null;
        }
        ByteReader in = new ByteReader(stored, 0);
        int format = in.getByte();
        if (format != FORMAT) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    "another version of Brain began an import into the store (format %d)"
                            .formatted(format));
        }
        long process = in.getLong();
        long batch = in.getLong();
        Progress progress =
                new Progress(
                        in.getLong(),
                        in.getInt(),
                        in.getLong(),
                        in.getInt(),
                        in.getInt(),
                        in.getLong(),
                        in.getLong(),
                        in.getLong());
        Bytes source = in.getSized();
        String file = in.getStrings().get(0);
        long standbyOf = in.hasMore() ? in.getLong() : 0;
        return new ImportRecord(process, batch, source, file, progress, standbyOf);
    }

    /**
     * Checks that the store has no unfinished import, except one for a standby.
     *
     * @throws StorageException kind REFUSED if it has one
     */
    public static void requireNone(Snapshot snapshot, KeyCoder coder) {
        requireNone(snapshot.get(coder.importKey()));
    }

    /**
     * The same for the stored record; null: there is none.
     *
     * @throws StorageException kind REFUSED if it is of an unfinished import
     */
    public static void requireNone(Bytes stored) {
        ImportRecord unfinished = decode(stored);
        if (unfinished != null && !unfinished.isStandby()) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    ("an import of %s into the store is unfinished: run the same brain import or"
                                    + " brain restore again to continue it, or delete the store")
                            .formatted(unfinished.file()));
        }
    }
}
