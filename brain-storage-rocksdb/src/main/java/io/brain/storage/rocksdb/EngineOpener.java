package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens RocksDB in a data directory, or says in one line why it cannot be opened. */
final class EngineOpener {
    private static final Logger log = LoggerFactory.getLogger(EngineOpener.class);
    private static final long MIB = 1L << 20;

    /** What RocksDB writes when it is opened, amply: a manifest, options, an information log. */
    private static final long OPEN_BYTES_MIN = MIB;

    /** Every start adds a log; at more than these, they are replaced by a file. */
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
     * Opens, replaying the log. When the disk is full, the ballast is given up for it.
     *
     * @throws StorageException kind CORRUPT, REFUSED, NO_SPACE or UNAVAILABLE
     */
    Engine open() {
        long begin = System.nanoTime();
        List<Path> logs = directory.logs();
        long logBytes = logBytes(logs);
        OptionalLong loggedEnd = checkLogs(logs);
        if (directory.usableBytes() < OPEN_BYTES_MIN && ballast.throwOverboard()) {
            log.warn("no space left in {}: gave up the ballast to open it", directory.root());
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
            if (RocksErrors.kind(e) != Kind.NO_SPACE || !ballast.throwOverboard()) {
                throw failure(e);
            }
            log.warn("no space left in {}: gave up the ballast to open it", directory.root());
            engine = openAgain(logs.size(), logBytes);
        }
        mark.clear();
        if (directory.isNew()) {
            directory.markCreated();
        }
        log.info(
                "opened {} in {} ms: sequence {}, {} log files of {} bytes replayed",
                directory.root(),
                (System.nanoTime() - begin) / 1_000_000,
                engine.sequence(),
                logs.size(),
                logBytes);
        return engine;
    }

    /**
     * Opens for reading, and changes nothing.
     *
     * @throws StorageException kind CORRUPT, REFUSED (also where a start has to mend the log first)
     *     or UNAVAILABLE
     */
    Engine openReadOnly() {
        List<Path> logs = directory.logs();
        OptionalLong loggedEnd = checkLogs(logs);
        for (Path file : logs) {
            if (TornTail.find(file).isPresent()) {
                throw new StorageException(
                        Kind.REFUSED,
                        "%s ends with a batch that a crash cut short: start the server once, which cuts it off"
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

    /** The engine is closed in order, after all it wrote was synced. */
    void markClosed(long sequence) {
        mark.set(sequence);
    }

    /**
     * Throws kind CORRUPT if a store that was closed in order reached farther than it does now.
     * Done before it is opened for writing, which changes what an operator may want to look at.
     *
     * @param loggedEnd what {@link #checkLogs} found
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

    /** True if there is room to write all memtables to files. */
    boolean hasRoom() {
        return hasRoomFor(logBytes(directory.logs()));
    }

    /**
     * Throws kind NO_SPACE if there is no room to open: who can still read had better keep the
     * engine that is open.
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
                Kind.NO_SPACE, "no space left in " + directory.root() + ": make room", cause);
    }

    private Engine openAgain(int logs, long logBytes) {
        try {
            return open(logs, logBytes);
        } catch (RocksDBException e) {
            throw failure(e);
        }
    }

    private Engine open(int logs, long logBytes) throws RocksDBException {
        // A memtable that fills while the log is replayed must be written to a file at once. Where
        // there is no room for that, the memtable is made large enough for the whole log.
        long scarceBytes = hasRoomFor(logBytes) ? 0 : 3 * logBytes + 4 * MIB;
        boolean flushReplayed = logs > LOGS_MAX && scarceBytes == 0;
        return Engine.open(
                directory.engine(), settings, scarceBytes, flushReplayed, directory.isNew());
    }

    /**
     * Throws kind CORRUPT if the logs are damaged, or do not follow one another; answers the number
     * behind their last change, empty if there is none or it cannot be told.
     */
    private OptionalLong checkLogs(List<Path> logs) {
        if (logs.isEmpty() && !directory.isNew()) {
            throw corrupt("the write-ahead log (" + directory.engine() + "/*.log) is missing");
        }
        try {
            return LogCheck.chain(logs);
        } catch (StorageException damage) {
            // Logs whose changes are all in tables may be left by a crash that kept them, or some
            // of them, from being deleted: they are not replayed, and prove nothing.
            List<Path> needed = needed(logs);
            if (damage.kind() == Kind.CORRUPT && needed.size() < logs.size()) {
                return checkLogs(needed);
            }
            throw damage.kind() == Kind.CORRUPT ? corrupt(damage.getMessage()) : damage;
        }
    }

    /** Those logs that RocksDB would replay; all if it cannot be asked. */
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
