package io.brain.transfer.backup;

import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** Backups in a directory, one file for each object. A file that ends with .part is incomplete. */
final class DirectoryStore implements BackupStore {
    private static final String PART = ".part";
    private static final String LOCK = "LOCK";
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path directory;

    /**
     * @param directory created with the first object
     */
    DirectoryStore(Path directory) {
        this.directory = directory;
    }

    @Override
    public Lock lock() throws IOException {
        PrivateFiles.createDirectories(directory);
        FileChannel file =
                PrivateFiles.open(
                        directory.resolve(LOCK),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException sameProcess) {
            // Refused below.
        }
        if (lock == null) {
            file.close();
            throw new IOException("another backup to " + directory + " is running");
        }
        removeParts();
        return new Lock() {
            @Override
            public void renew() {
                // The system keeps the lock until the file is closed.
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    /** Removes what an interrupted backup has left. */
    private void removeParts() throws IOException {
        for (String name : list()) {
            if (name.endsWith(PART)) {
                Files.deleteIfExists(directory.resolve(name));
            }
        }
    }

    @Override
    public void put(String name, Content content) throws IOException {
        PrivateFiles.createDirectories(directory);
        Path part = directory.resolve(name + PART);
        boolean complete = false;
        try {
            try (FileChannel file =
                            PrivateFiles.open(
                                    part,
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.TRUNCATE_EXISTING,
                                    StandardOpenOption.WRITE);
                    OutputStream out =
                            new BufferedOutputStream(
                                    Channels.newOutputStream(file), BUFFER_BYTES)) {
                content.writeTo(out);
                out.flush();
                file.force(true);
            }
            Files.move(part, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            PartFile.sync(directory);
            complete = true;
        } finally {
            if (!complete) {
                Files.deleteIfExists(part);
            }
        }
    }

    @Override
    public InputStream open(String name) throws IOException {
        try {
            return Files.newInputStream(directory.resolve(name));
        } catch (NoSuchFileException absent) {
            throw new IOException(directory.resolve(name) + " does not exist", absent);
        }
    }

    @Override
    public List<String> names() throws IOException {
        return list().stream()
                .filter(name -> !name.endsWith(PART) && !name.equals(LOCK))
                .sorted()
                .toList();
    }

    private List<String> list() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Override
    public void delete(String name) throws IOException {
        if (Files.deleteIfExists(directory.resolve(name))) {
            PartFile.sync(directory); // a record goes before its data
        }
    }

    @Override
    public void close() {
        // Nothing is open.
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
