package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.rocksdb.recovery.Ballast;
import io.brain.storage.rocksdb.recovery.CloseMark;
import io.brain.storage.rocksdb.recovery.DataDirectory;
import io.brain.storage.rocksdb.recovery.LogCheck;
import io.brain.storage.rocksdb.recovery.TornTail;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens RocksDB in a data directory; failures have a one-line message for the operator. */
final class EngineOpener {
    private static final Logger log = LoggerFactory.getLogger(EngineOpener.class);
    private static final long MIB = 1L << 20;

    /** Upper bound of what RocksDB writes during an open: manifest, options, information log. */
    private static final long OPEN_BYTES_MIN = MIB;

    /** Each start adds a log; above this number the open flushes them to a file. */
    private static final int LOGS_MAX = 8;

    private final DataDirectory directory;
    private final EngineSettings settings;
    private final Ballast ballast;
    private final CloseMark mark;

    EngineOpener(DataDirectory directory, EngineSettings settings, Ballast ballast) {
        this.directory = directory;
        this.settings = settings;
        this.ballast = ballast;
        this.mark = new CloseMark(directory.root());
    }

    /**
     * Opens the engine and replays the log. Releases the reserved disk space if the disk is full.
     *
     * @throws StorageException kind CORRUPT, REFUSED, NO_SPACE or UNAVAILABLE
     */
    Engine open() {
        long begin = System.nanoTime();
        List<Path> logs = directory.logs();
        long logBytes = logBytes(logs);
        OptionalLong loggedEnd = checkLogs(logs, true);
        if (directory.usableBytes() < OPEN_BYTES_MIN && ballast.release()) {
            log.warn("no disk space, released reserved disk space path={}", directory.root());
        }
        Engine engine;
        try {
            if (loggedEnd.isEmpty()) {
                TornTail.cut(logs);
            }
            checkReach(loggedEnd);
            TornTail.cut(logs);
            engine = open(logs.size(), logBytes);
        } catch (RocksDBException e) {
            if (RocksErrors.kind(e) != Kind.NO_SPACE || !ballast.release()) {
                throw failure(e);
            }
            log.warn("no disk space, released reserved disk space path={}", directory.root());
            engine = openAgain(logs.size(), logBytes);
        }
        mark.clear();
        if (directory.isNew()) {
            directory.markCreated();
        }
        log.info(
                "opened store path={} duration_ms={} sequence={} logs={} replayed_bytes={}",
                directory.root(),
                (System.nanoTime() - begin) / 1_000_000,
                engine.sequence(),
                logs.size(),
                logBytes);
        return engine;
    }

    /**
     * Opens the engine read-only; changes nothing.
     *
     * @throws StorageException kind CORRUPT, REFUSED (also if a normal start must repair the log
     *     first) or UNAVAILABLE
     */
    Engine openReadOnly() {
        List<Path> logs = directory.logs();
        OptionalLong loggedEnd = checkLogs(logs, false);
        for (Path file : logs) {
            if (TornTail.find(file).isPresent()) {
                throw new StorageException(
                        Kind.REFUSED,
                        "%s ends with an incomplete batch of a crash: start the server once, which truncates it"
                                .formatted(file));
            }
        }
        try {
            checkReach(loggedEnd);
            return Engine.openReadOnly(directory.engine(), settings);
        } catch (RocksDBException e) {
            throw failure(e);
        }
    }

    /** Records a clean shutdown, after the last sync. */
    void markClosed(long sequence) {
        mark.set(sequence);
    }

    /**
     * Throws kind CORRUPT if changes before the last clean shutdown are missing. Runs before the
     * open for writing, which would modify the evidence.
     *
     * @param loggedEnd result of {@link #checkLogs(List, boolean)}
     */
    private void checkReach(OptionalLong loggedEnd) throws RocksDBException {
        OptionalLong closedAt = mark.read();
        if (closedAt.isEmpty() || directory.isNew()) {
            return;
        }
        long reached;
        if (loggedEnd.isPresent()) {
            reached = loggedEnd.getAsLong() - 1;
        } else {
            Engine tables = Engine.openReadOnly(directory.engine(), settings);
            reached = tables.sequence();
            tables.free();
        }
        if (reached < closedAt.getAsLong()) {
            throw corrupt(
                    "the end of the newest write-ahead log (%s/*.log) is gone: changes %d to %d are missing"
                            .formatted(directory.engine(), reached + 1, closedAt.getAsLong()));
        }
    }

    /** True if there is space to flush all memtables. */
    boolean hasRoom() {
        return hasRoomFor(logBytes(directory.logs()));
    }

    /**
     * Throws kind NO_SPACE if there is no space for an open; the current engine then still serves
     * reads.
     */
    void checkRoomToOpen() {
        if (directory.usableBytes() < OPEN_BYTES_MIN - ballast.bytes()) {
            throw noSpace(null);
        }
    }

    private boolean hasRoomFor(long logBytes) {
        return directory.usableBytes() >= logBytes + 2 * settings.memtableBytes();
    }

    private static long logBytes(List<Path> logs) {
        return logs.stream().mapToLong(file -> file.toFile().length()).sum();
    }

    private StorageException noSpace(Throwable cause) {
        return new StorageException(
                Kind.NO_SPACE, "no space left in " + directory.root() + ": free disk space", cause);
    }

    private Engine openAgain(int logs, long logBytes) {
        try {
            return open(logs, logBytes);
        } catch (RocksDBException e) {
            throw failure(e);
        }
    }

    private Engine open(int logs, long logBytes) throws RocksDBException {
        // A memtable that fills during replay is flushed at once. Without space for that, the
        // memtable is made large enough for the whole log.
        long scarceBytes = hasRoomFor(logBytes) ? 0 : 3 * logBytes + 4 * MIB;
        boolean flushReplayed = logs > LOGS_MAX && scarceBytes == 0;
        return Engine.open(
                directory.engine(), settings, scarceBytes, flushReplayed, directory.isNew());
    }

    /**
     * Throws kind CORRUPT if the logs are damaged or not contiguous. Returns the sequence number
     * after the last change; empty if unknown or there is none.
     *
     * @param mayCut true if a torn tail may be cut off
     */
    private OptionalLong checkLogs(List<Path> logs, boolean mayCut) {
        if (logs.isEmpty() && !directory.isNew()) {
            throw corrupt("the write-ahead log (" + directory.engine() + "/*.log) is missing");
        }
        try {
            return LogCheck.chain(logs);
        } catch (StorageException damage) {
            if (damage.kind() != Kind.CORRUPT) {
                throw damage;
            }
            // A crash may have interrupted the deletion of logs whose changes are all in tables.
            // They are not replayed, so their damage is irrelevant.
            if (mayCut) {
                TornTail.cut(logs.subList(logs.size() - 1, logs.size()));
            }
            List<Path> needed = needed(logs);
            if (needed.size() < logs.size()) {
                return checkLogs(needed, mayCut);
            }
            throw corrupt(damage.getMessage());
        }
    }

    /** The logs that RocksDB would replay; all if that is unknown. */
    private List<Path> needed(List<Path> logs) {
        try {
            Engine tables = Engine.openReadOnly(directory.engine(), settings);
            long oldest = tables.oldestLog();
            tables.free();
            return logs.stream().filter(log -> DataDirectory.logNumber(log) >= oldest).toList();
        } catch (RocksDBException e) {
            return logs;
        }
    }

    private StorageException failure(RocksDBException e) {
        String line = RocksErrors.line(e);
        if (line.contains("/LOCK:") && line.toLowerCase(Locale.ROOT).contains("lock")) {
            return new StorageException(
                    Kind.REFUSED,
                    directory.root()
                            + " is in use by another process: stop it, or use another data-dir",
                    e);
        }
        if (RocksErrors.kind(e) == Kind.NO_SPACE) {
            return noSpace(e);
        }
        boolean missingFile =
                line.contains("No such file or directory")
                        || RocksErrors.hasCode(e, Status.Code.InvalidArgument);
        if (RocksErrors.kind(e) == Kind.CORRUPT || missingFile) {
            return corrupt(line, e);
        }
        boolean forbidden =
                line.contains("Permission denied") || line.contains("Read-only file system");
        return new StorageException(
                forbidden ? Kind.REFUSED : Kind.UNAVAILABLE,
                "cannot open " + directory.root() + ": " + line,
                e);
    }

    private StorageException corrupt(String what) {
        return corrupt(what, null);
    }

    private StorageException corrupt(String what, Throwable cause) {
        String message =
                "%s is damaged: %s; restore it from a backup".formatted(directory.root(), what);
        return new StorageException(Kind.CORRUPT, message, cause);
    }
}
