package io.brain.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory that a server keeps its files in. */
final class DataDirectory {
    private final Path path;

    /**
     * A directory, which need not exist.
     *
     * @throws ServerException if it holds the data of an etcd
     */
    DataDirectory(Path path) throws ServerException {
        this.path = path;
        if (Files.isDirectory(path.resolve("member"))) {
            throw new ServerException(
                    "--data-dir "
                            + path
                            + " holds the data of an etcd, which Brain cannot open; name another"
                            + " directory",
                    null);
        }
    }

    Path path() {
        return path;
    }

    /** Bytes that a store in this directory could grow to; -1 if the file system does not say. */
    long capacity(long storedBytes) {
        try {
            return storedBytes + Files.getFileStore(path).getUsableSpace();
        } catch (IOException unknown) {
            return -1;
        }
    }
}
