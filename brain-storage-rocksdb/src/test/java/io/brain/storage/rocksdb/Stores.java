package io.brain.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Short words for tests of the RocksDB storage. */
public final class Stores {
    private Stores() {}

    /** Settings of a small store without ballast; options are names and values in turn. */
    static RocksDbSettings settings(Path directory, String... options) {
        Map<String, String> named = new HashMap<>();
        named.put("data-dir", directory.toString());
        named.put("ballast-size", "0");
        named.put("block-cache-size", "4MiB");
        named.put("memtable-size", "4MiB");
        for (int i = 0; i < options.length; i += 2) {
            named.put(options[i], options[i + 1]);
        }
        return RocksDbSettings.parse(named);
    }

    static RocksDbStorage open(Path directory, String... options) {
        return RocksDbStorage.open(settings(directory, options));
    }

    /** A store that has each batch in a table when it is answered; nothing is left to do behind. */
    static RocksDbStorage openWritingTables(Path directory) {
        Committer.Writer writer =
                (engine, batch, sync) -> {
                    engine.write(batch, sync);
                    engine.flush();
                };
        return RocksDbStorage.open(settings(directory), writer, EngineSlot.Timeouts.STANDARD);
    }

    /** The refusal of a directory that must not open: one line, of the given kind. */
    static String refusal(StorageException.Kind kind, Path directory) {
        String message = thrown(kind, () -> open(directory).close());
        assertThat(message).doesNotContain("\n").contains(directory.toString());
        return message;
    }

    /** The message of the exception of the given kind that {@code call} must throw. */
    static String thrown(StorageException.Kind kind, ThrowingCallable call) {
        StorageException thrown = catchThrowableOfType(StorageException.class, call);
        assertThat(thrown).as("a refusal of kind " + kind).isNotNull();
        assertThat(thrown.kind()).as(thrown.getMessage()).isEqualTo(kind);
        return thrown.getMessage();
    }

    static CommitResult await(CompletionStage<CommitResult> stage) {
        try {
            return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError("the commit did not end normally", e);
        }
    }

    static void put(KvStorage store, String key, String value) {
        commit(store, WriteBatch.builder().put(bytes(key), bytes(value)));
    }

    /** Commits what must be committed. */
    static void commit(KvStorage store, WriteBatch.Builder batch) {
        assertThat(await(store.commit(batch.build()))).isInstanceOf(CommitResult.Committed.class);
    }

    /** A batch that moves the key "fence" from one number to the next, and puts "at" + number. */
    static WriteBatch step(int number) {
        return step(number, Bytes.EMPTY);
    }

    /** A step that also stores noise, unless it is empty. */
    static WriteBatch step(int number, Bytes noise) {
        WriteBatch.Builder batch = WriteBatch.builder();
        Bytes next = bytes("fence " + number);
        if (number == 1) {
            batch.putIfAbsent(bytes("fence"), next);
        } else {
            batch.compareAndSet(bytes("fence"), bytes("fence " + (number - 1)), next);
        }
        if (!noise.isEmpty()) {
            batch.put(bytes("noise"), noise);
        }
        return batch.put(bytes("at" + number), next).build();
    }

    static String get(KvStorage store, String key) {
        try (Snapshot snapshot = store.snapshot()) {
            Bytes value = snapshot.get(bytes(key));
            return value == null ? null : value.toString();
        }
    }

    static int count(KvStorage store) {
        try (Snapshot snapshot = store.snapshot();
                Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            int count = 0;
            while (cursor.next()) {
                count++;
            }
            return count;
        }
    }

    static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    /** What a crash at this moment would leave, in another directory. */
    static void copy(Path from, Path to) {
        try {
            Files.createDirectories(to);
            for (String name : from.toFile().list()) {
                Path path = from.resolve(name);
                if (Files.isDirectory(path)) {
                    copy(path, to.resolve(name));
                } else if (!name.equals("LOCK")) {
                    // To open a lock file here and close it would lose the lock.
                    copyIfThere(path, to.resolve(name));
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void copyIfThere(Path from, Path to) throws IOException {
        try {
            Files.copy(from, to);
        } catch (NoSuchFileException e) {
            // RocksDB deletes a log some time after a table has replaced it.
            assertThat(from.toString()).endsWith(".log");
        }
    }

    /** The largest of RocksDB's files whose name matches. */
    static Path file(Path directory, String name) {
        return files(directory, name).stream()
                .max(Comparator.comparingLong(file -> file.toFile().length()))
                .orElseThrow();
    }

    /** RocksDB's files whose names match. */
    static List<Path> files(Path directory, String name) {
        try (Stream<Path> files = Files.list(directory.resolve("rocksdb"))) {
            return files.filter(file -> file.getFileName().toString().matches(name)).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
