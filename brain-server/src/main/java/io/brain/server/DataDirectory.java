package io.brain.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The data directory of a server. */
final class DataDirectory {
    private final Path path;

    /**
     * Creates a data directory; it need not exist.
     *
     * @throws ServerException if it contains etcd data
     */
    DataDirectory(Path path) throws ServerException {
        this.path = path;
        if (Files.isDirectory(path.resolve("member"))) {
            throw new ServerException(
                    "--data-dir "
                            + path
                            + " contains etcd data, which Brain cannot open; use another directory",
                    null);
        }
    }

    Path path() {
        return path;
    }

    /** Maximum size of a store in this directory in bytes; -1 if unknown. */
    long capacity(long storedBytes) {
        try {
            return storedBytes + Files.getFileStore(path).getUsableSpace();
        } catch (IOException unknown) {
            return -1;
        }
    }
}
