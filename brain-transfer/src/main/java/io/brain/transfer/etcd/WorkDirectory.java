package io.brain.transfer.etcd;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A directory for the temporary files of a process, deleted when it is closed. Opening one deletes
 * those of processes that were killed: a process holds a lock on a file in its own.
 */
public final class WorkDirectory implements Closeable {
    private static final String PREFIX = "brain-work-";
    private static final String LOCK = "LOCK";

    /** As a new temporary directory has them. */
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private final Path path;
    private final FileChannel lock;

    private WorkDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Creates one in a directory, which must exist. */
    public static WorkDirectory open(Path parent) throws IOException {
        // It gets its name when it is locked, so no other process takes it for an abandoned one.
        Path unnamed = Files.createTempDirectory(parent, "." + PREFIX);
        FileChannel lock =
                FileChannel.open(
                        unnamed.resolve(LOCK),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        try {
            var unused = lock.lock();
            deleteAbandoned(parent, Files.getOwner(unnamed));
            String name = unnamed.getFileName().toString().substring(1);
            Path path = parent.resolve(name);
            Files.move(unnamed, path, StandardCopyOption.ATOMIC_MOVE);
            return new WorkDirectory(path, lock);
        } catch (IOException | RuntimeException failure) {
            lock.close();
            delete(unnamed);
            throw failure;
        }
    }

    public Path path() {
        return path;
    }

    private static void deleteAbandoned(Path parent, UserPrincipal self) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : all) {
                if (isPrivate(directory, self)) {
                    deleteIfAbandoned(directory);
                }
            }
        }
    }

    /**
     * True if only a user's processes can change what is in a directory. In one of another user, a
     * link could make this process delete files elsewhere.
     */
    private static boolean isPrivate(Path directory, UserPrincipal user) throws IOException {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(
                            directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isDirectory()
                    && attributes.owner().equals(user)
                    && OWNER_ONLY.containsAll(attributes.permissions());
        } catch (NoSuchFileException deletedMeanwhile) {
            return false;
        }
    }

    private static void deleteIfAbandoned(Path directory) {
        try (FileChannel file =
                        FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock free = file.tryLock()) {
            if (free != null) {
                delete(directory);
            }
        } catch (IOException | UncheckedIOException | OverlappingFileLockException notNow) {
            // In use by this process, being deleted by another one, or not readable.
        }
    }

    /** Deletes the lock last: what a killed deletion leaves is abandoned, too. */
    private static void delete(Path directory) throws IOException {
        Path lock = directory.resolve(LOCK);
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            if (!file.equals(lock) && !file.equals(directory)) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(lock);
        Files.deleteIfExists(directory);
    }

    @Override
    public void close() throws IOException {
        try {
            delete(path);
        } finally {
            lock.close();
        }
    }
}
