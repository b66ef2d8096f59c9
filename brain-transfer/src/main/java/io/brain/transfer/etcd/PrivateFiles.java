package io.brain.transfer.etcd;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Creates files with keys and values, which only their owner may read. */
public final class PrivateFiles {
    private static final FileAttribute<Set<PosixFilePermission>> FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private PrivateFiles() {}

    /** Opens a file; one that exists keeps its permissions. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), FILE);
    }

    /** Creates an empty file, unless it exists. */
    public static void create(Path file) throws IOException {
        try {
            Files.createFile(file, FILE);
        } catch (FileAlreadyExistsException present) {
            // It keeps its content.
        }
    }

    /** Creates a directory and its parents, unless they exist. */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, DIRECTORY);
    }
}
