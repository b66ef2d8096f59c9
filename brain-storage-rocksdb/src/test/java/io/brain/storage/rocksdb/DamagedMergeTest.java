package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.step;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** RocksDB meets a damaged block while it merges tables behind the writes. */
@Timeout(60)
final class DamagedMergeTest {
    /** So many tables are merged. */
    private static final int TABLES = 4;

    @TempDir Path directory;

    /** Tables over the same keys, all but one of those that have to be there to be merged. */
    private Path damagedTable() throws IOException {
        Random random = new Random(3);
        for (int table = 1; table < TABLES; table++) {
            try (RocksDbStorage store = Stores.openWritingTables(directory)) {
                WriteBatch.Builder batch = WriteBatch.builder().put(bytes("a"), bytes("1"));
                for (int key = 0; key < 10; key++) {
                    byte[] noise = new byte[20_000];
                    random.nextBytes(noise);
                    batch.put(bytes("k" + key + "." + table), Bytes.wrap(noise));
                }
                Stores.commit(store, batch);
            }
        }
        List<Path> tables = Stores.files(directory, ".*\\.sst").stream().sorted().toList();
        Path damaged = tables.get(1);
        byte[] content = Files.readAllBytes(damaged);
        content[content.length / 2] ^= 0x15;
        Files.write(damaged, content);
        return damaged;
    }

    @Test
    void writesEndForGoodWithALineThatNamesTheFileAndWhatIsSoundCanBeRead() throws Exception {
        Path damaged = damagedTable();
        List<Engine> engines = new ArrayList<>();
        Committer.Writer writer =
                (engine, batch, sync) -> {
                    if (!engines.contains(engine)) {
                        engines.add(engine);
                    }
                    engine.write(batch, sync);
                    engine.flush();
                };
        RocksDbSettings settings = Stores.settings(directory);
        try (RocksDbStorage store =
                RocksDbStorage.open(settings, writer, EngineSlot.Timeouts.STANDARD)) {
            int number = 0;
            CommitResult end;
            do {
                number++;
                TimeUnit.MILLISECONDS.sleep(20);
                end = await(store.commit(step(number)));
            } while (end instanceof CommitResult.Committed);

            refusedAsDamaged(((CommitResult.Uncertain) end).cause(), damaged);
            for (int again = 0; again < 3; again++) {
                CommitResult resolved = await(store.resolve(step(number)));
                refusedAsDamaged(((CommitResult.Uncertain) resolved).cause(), damaged);
                CommitResult next = await(store.commit(step(number + 1)));
                refusedAsDamaged(((CommitResult.Unavailable) next).cause(), damaged);
            }
            assertThat(engines).as("it is not reopened to fail again").hasSize(1);
            // This store's writes make tables, too: the last may have failed before that, or at it.
            String before = number == 1 ? null : "fence " + (number - 1);
            assertThat(get(store, "fence")).isIn(before, "fence " + number);
            assertThat(get(store, "k0.3")).isNotNull();
        }
        try (RocksDbStorage store = Stores.open(directory)) {
            assertThat(get(store, "k0.1")).isNotNull();
        }
    }

    private static void refusedAsDamaged(StorageException cause, Path damaged) {
        assertThat(cause.kind()).as(cause.getMessage()).isEqualTo(Kind.CORRUPT);
        assertThat(cause.getMessage()).doesNotContain("\n").contains(damaged.toString());
    }
}
