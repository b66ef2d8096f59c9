package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native library from {@code java.library.path} or the jar. RocksDB's own loader
 * leaves an unpacked file of 17 MB when the process is killed; this one deletes the file right
 * after loading.
 */
final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Loads the library once per process.
     *
     * @throws StorageException kind REFUSED if it cannot be loaded
     */
    static synchronized void load() {
        if (RocksDB.rocksdbVersion() != null) {
            return;
        }
        try {
            Path unpacked = Files.createTempDirectory("brain-rocksdb");
            try {
                NativeLibraryLoader.getInstance().loadLibrary(unpacked.toString());
                RocksDB.loadLibrary();
            } finally {
                delete(unpacked);
            }
        } catch (IOException | RuntimeException | UnsatisfiedLinkError e) {
            throw new StorageException(
                    Kind.REFUSED,
                    "cannot load RocksDB's native library (is the directory java.io.tmpdir full, or"
                            + " mounted noexec?): "
                            + e,
                    e);
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> list = Files.list(directory)) {
            files = list.toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
        Files.delete(directory);
    }
}
