package io.brain.storage.rocksdb.recovery;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data directory, locked by this process, in the format of this build.
 *
 * <pre>
 * FORMAT     name and version of the format; written when the store is complete
 * CREATING   the same during creation; an incomplete store is deleted at the next start
 * LOCK       locked while the store is open; contains the process ID
 * BALLAST    see {@link Ballast}
 * CLOSED     see {@link CloseMark}
 * rocksdb/   RocksDB's own files
 * </pre>
 */
public final class DataDirectory implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DataDirectory.class);
    private static final String FORMAT = "brain-rocksdb 1";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private final Path root;
    private final FileChannel lock;

    private DataDirectory(Path root, FileChannel lock) {
        this.root = root;
        this.lock = lock;
    }

    /**
     * Locks the directory; creates it, and its parents, for their owner only if absent.
     *
     * @throws StorageException kind REFUSED, with the reason and the remedy
     */
    public static DataDirectory open(Path root) {
        FileChannel lock = null;
        try {
            if (!Files.isDirectory(root)) {
                if (Files.exists(root)) {
                    throw refused(root + " is not a directory: use another data-dir");
                }
                Files.createDirectories(root, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            }
            if (Files.isDirectory(root.resolve("member"))) {
                throw refused(
                        root
                                + " contains etcd data, which Brain cannot open; use another"
                                + " directory");
            }
            lock = lock(root);
            DataDirectory directory = new DataDirectory(root, lock);
            directory.checkFormat();
            warnIfOpen(root);
            return directory;
        } catch (IOException | RuntimeException e) {
            closeQuietly(lock);
            throw e instanceof IOException io ? cannotUse(root, io) : (RuntimeException) e;
        }
    }

    /**
     * Locks the directory of an existing store; writes only the process ID to the lock file.
     *
     * @throws StorageException kind REFUSED, with the reason and the remedy
     */
    public static DataDirectory openExisting(Path root) {
        FileChannel lock = null;
        try {
            DataDirectory unlocked = new DataDirectory(root, null);
            if (unlocked.isNew()) {
                throw refused(root + " contains no store (no file FORMAT): use another data-dir");
            }
            lock = lock(root);
            DataDirectory directory = new DataDirectory(root, lock);
            directory.checkFormat();
            return directory;
        } catch (IOException | RuntimeException e) {
            closeQuietly(lock);
            throw e instanceof IOException io ? cannotUse(root, io) : (RuntimeException) e;
        }
    }

    public Path root() {
        return root;
    }

    /** Directory of RocksDB's files. */
    public Path engine() {
        return root.resolve("rocksdb");
    }

    /** True if the directory contains no complete store. */
    public boolean isNew() {
        return !Files.exists(format());
    }

    /** Marks the store as complete, after the engine created its files. */
    public void markCreated() {
        try {
            sync(engine());
            Files.move(creating(), format(), StandardCopyOption.ATOMIC_MOVE);
            sync(root);
        } catch (IOException e) {
            throw cannotUse(root, e);
        }
    }

    /** RocksDB's write-ahead logs, oldest first. */
    public List<Path> logs() {
        if (!Files.isDirectory(engine())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(engine())) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9]+[.]log"))
                    .sorted(Comparator.comparingLong(DataDirectory::logNumber))
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(Kind.UNAVAILABLE, "cannot list " + engine() + ": " + e, e);
        }
    }

    /** The number in the name of a log. */
    public static long logNumber(Path log) {
        return Long.parseLong(log.getFileName().toString().replaceFirst("\\D.*", ""));
    }

    /** Usable bytes of the file system; {@link Long#MAX_VALUE} if unknown. */
    public long usableBytes() {
        boolean says = root.toFile().getTotalSpace() > 0;
        return says ? root.toFile().getUsableSpace() : Long.MAX_VALUE;
    }

    /** Unlocks the directory. */
    @Override
    public void close() {
        closeQuietly(lock);
    }

    private static void warnIfOpen(Path root) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(root);
        if (!OWNER_ONLY.containsAll(permissions)) {
            log.warn(
                    "data directory is accessible to other users, recommended permissions are {}"
                            + " directory={} permissions={}",
                    PosixFilePermissions.toString(OWNER_ONLY),
                    root,
                    PosixFilePermissions.toString(permissions));
        }
    }

    private void checkFormat() throws IOException {
        if (Files.exists(format())) {
            byte[] found = Files.readAllBytes(format());
            String name = found.length > 100 ? "unknown" : new String(found, US_ASCII).strip();
            if (!name.equals(FORMAT)) {
                throw refused(
                        "%s has the format \"%s\", this build reads only \"%s\": open it with the build that wrote it"
                                .formatted(root, name, FORMAT));
            }
            return;
        }
        if (Files.exists(engine()) && !Files.exists(creating())) {
            throw refused(
                    root
                            + " holds rocksdb/ but no file FORMAT, so it is not known to be"
                            + " Brain's: use another data-dir, or restore the file");
        }
        write(creating(), FORMAT + "\n");
        sync(root);
        deleteTree(engine());
    }

    private Path format() {
        return root.resolve("FORMAT");
    }

    private Path creating() {
        return root.resolve("CREATING");
    }

    private static FileChannel lock(Path root) throws IOException {
        FileChannel channel = FileChannel.open(root.resolve("LOCK"), CREATE, READ, WRITE);
        try {
            if (tryLock(channel)) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(ascii("" + ProcessHandle.current().pid())));
                return channel;
            }
            ByteBuffer holder = ByteBuffer.allocate(20);
            int length = Math.max(0, channel.read(holder, 0));
            throw refused(
                    "%s is in use by process %s: stop it, or use another data-dir"
                            .formatted(root, new String(holder.array(), 0, length, US_ASCII)));
        } catch (IOException | RuntimeException e) {
            // If this process holds the lock, closing a second channel releases it (POSIX).
            // RocksDB's own lock then still excludes other processes.
            closeQuietly(channel);
            throw e;
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }

    private static void write(Path file, String text) throws IOException {
        try (FileChannel channel = FileChannel.open(file, CREATE, WRITE, TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(ascii(text)));
            channel.force(true);
        }
    }

    /** Makes the directory's entries durable. */
    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, READ)) {
            channel.force(true);
        }
    }

    private static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> files = Files.walk(tree)) {
            deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : deepestFirst) {
            Files.delete(file);
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            log.warn("failed to unlock data directory error={}", e.toString());
        }
    }

    private static StorageException cannotUse(Path root, IOException cause) {
        boolean full = String.valueOf(cause.getMessage()).contains("No space left on device");
        String advice =
                full
                        ? "make room on its file system"
                        : "give this user the right to, or use another data-dir";
        return new StorageException(
                full ? Kind.NO_SPACE : Kind.REFUSED,
                "cannot write in %s (%s): %s".formatted(root, cause, advice),
                cause);
    }

    private static StorageException refused(String message) {
        return new StorageException(Kind.REFUSED, message);
    }
}
