package io.brain.storage.rocksdb;

import io.brain.storage.StorageException.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Writes until RocksDB holds a write because all memtables wait for a flush; then the file system,
 * which is its argument, is full. The flush fails, and the write with it. Ends with an exception,
 * or prints "all is well".
 */
final class FailedFlushProgram {
    private static final EngineSettings SETTINGS =
            new EngineSettings(1 << 20, 1 << 20, 2, 2, 100, false);

    private FailedFlushProgram() {}

    public static void main(String[] arguments) throws Exception {
        try {
            run(Path.of(arguments[0]));
            System.out.println("all is well");
        } catch (AssertionError e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // the held write would go on
        }
    }

    private static void run(Path disk) throws Exception {
        NativeLibrary.load();
        Natives natives = new Natives();
        Options options =
                EngineOptions.of(SETTINGS, SETTINGS.memtableBytes(), natives)
                        .setAllowFAllocate(false)
                        .setCreateIfMissing(true);
        RocksDB db = natives.own(RocksDB.open(options, disk.resolve("data").toString()));
        db.pauseBackgroundWork();
        CompletableFuture<RocksDBException> failure =
                CompletableFuture.supplyAsync(() -> writeUntilFailure(db));
        while (db.getLongProperty("rocksdb.is-write-stopped") == 0) {
            if (failure.isDone()) {
                throw new AssertionError("failed too early", failure.get());
            }
            Thread.sleep(10);
        }
        fill(disk.resolve("filler"));
        db.continueBackgroundWork();
        try {
            RocksDBException failed = failure.get(1, TimeUnit.MINUTES);
            if (RocksErrors.kind(failed) != Kind.NO_SPACE) {
                throw new AssertionError("another failure", failed);
            }
        } catch (TimeoutException e) {
            throw new AssertionError("the write is held", e);
        }
        natives.close();
    }

    private static RocksDBException writeUntilFailure(RocksDB db) {
        byte[] key = new byte[8];
        byte[] value = new byte[20_000];
        Random random = new Random(3);
        while (true) {
            random.nextBytes(key);
            random.nextBytes(value);
            try {
                db.put(key, value);
            } catch (RocksDBException e) {
                return e;
            }
        }
    }

    private static void fill(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            if (!full.getMessage().contains("No space")) {
                throw full;
            }
        }
    }
}
