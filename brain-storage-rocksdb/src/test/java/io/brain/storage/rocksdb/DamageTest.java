package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.copy;
import static io.brain.storage.rocksdb.Stores.count;
import static io.brain.storage.rocksdb.Stores.file;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static io.brain.storage.rocksdb.Stores.put;
import static io.brain.storage.rocksdb.Stores.refusal;
import static io.brain.storage.rocksdb.Stores.thrown;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.rocksdb.recovery.LogCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged files are refused, and named, rather than read around. */
final class DamageTest {
    private static final String LOG = ".*\\.log";
    private static final String TABLE = ".*\\.sst";

    @TempDir Path temp;
    private Path crashed;

    /** A store after a crash: one half is in a file, the other in the log only. */
    @BeforeEach
    void crash() {
        Path running = temp.resolve("running");
        crashed = temp.resolve("crashed");
        Random random = new Random(5);
        try (RocksDbStorage store = Stores.openWritingTables(running)) {
            WriteBatch.Builder early = WriteBatch.builder();
            for (int number = 0; number < 20; number++) {
                early.put(bytes("early" + number), bytes(noise(random, 1000)));
            }
            Stores.commit(store, early);
        }
        try (RocksDbStorage store = open(running)) {
            for (int number = 0; number < 40; number++) {
                put(store, "late" + number, noise(random, 1000));
            }
            copy(running, crashed);
        }
    }

    private static String noise(Random random, int length) {
        StringBuilder text = new StringBuilder(length);
        while (text.length() < length) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private void damage(Path file, long at) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[(int) at] ^= 0x15;
        Files.write(file, content);
    }

    private void cut(Path file, long length) throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), (int) length));
    }

    @Test
    void aCrashedStoreOpensWithAllOfIt() {
        try (KvStorage store = open(crashed)) {
            assertThat(get(store, "early0")).hasSize(1000);
            assertThat(get(store, "late39")).hasSize(1000);
        }
    }

    @Test
    void aLogDamagedInTheMiddleIsRefusedAndNamed() throws IOException {
        Path log = file(crashed, LOG);
        damage(log, Files.size(log) / 2);

        assertThat(refusal(Kind.CORRUPT, crashed))
                .contains("is damaged")
                .contains(log.toString())
                .contains("restore it from a backup");
    }

    @Test
    void aHoleInTheLogIsRefused() throws IOException {
        Path log = file(crashed, LOG);
        byte[] content = Files.readAllBytes(log);
        Arrays.fill(content, content.length / 2, content.length / 2 + 4096, (byte) 0);
        Files.write(log, content);

        assertThat(refusal(Kind.CORRUPT, crashed)).contains(log.toString());
    }

    @Test
    void aLogThatACrashCutShortOpensWithoutTheLastBatchOnly() throws IOException {
        Path log = file(crashed, LOG);
        cut(log, Files.size(log) - 300);

        try (KvStorage store = open(crashed)) {
            assertThat(get(store, "late38")).hasSize(1000);
            assertThat(get(store, "late39")).isNull();
            put(store, "after", "1");
        }
        try (KvStorage store = open(crashed)) {
            assertThat(get(store, "late38")).hasSize(1000);
            assertThat(get(store, "after")).isEqualTo("1");
        }
    }

    @Test
    void twoCrashesThatCutTheLogShortAreNoDamage() throws IOException {
        Path log = file(crashed, LOG);
        cut(log, Files.size(log) - 300);
        Path again = temp.resolve("again");
        try (KvStorage store = open(crashed)) {
            put(store, "after", "1");
            put(store, "lost", "1");
            copy(crashed, again);
        }
        Path newest = Stores.files(again, LOG).stream().max(Path::compareTo).orElseThrow();
        cut(newest, Files.size(newest) - 3);

        try (KvStorage store = open(again)) {
            assertThat(get(store, "late38")).hasSize(1000);
            assertThat(get(store, "after")).isEqualTo("1");
            assertThat(get(store, "lost")).isNull();
        }
    }

    @Test
    void anOlderLogThatWasCutIsRefusedAsTheNewerOneDoesNotContinueIt() throws IOException {
        Path again = temp.resolve("again");
        try (KvStorage store = open(crashed)) {
            put(store, "after", "1");
            copy(crashed, again);
        }
        Path older = file(again, LOG);
        cut(older, Files.size(older) - 300);

        assertThat(refusal(Kind.CORRUPT, again))
                .contains("the end of the write-ahead log " + older + " is gone")
                .contains("missing");
    }

    @Test
    void aLogMissingBetweenTwoIsRefused() throws IOException {
        for (int start = 0; start < 2; start++) {
            Path next = temp.resolve("next" + start);
            try (KvStorage store = open(crashed)) {
                put(store, "after" + start, "1");
                copy(crashed, next);
            }
            crashed = next;
        }
        List<Path> logs = Stores.files(crashed, LOG).stream().sorted().toList();
        assertThat(logs).hasSize(3);
        Files.delete(logs.get(1));

        assertThat(refusal(Kind.CORRUPT, crashed)).contains("a log between");
    }

    @Test
    void theEndOfTheNewestLogIsMissedIfTheStoreWasClosedInOrder() throws IOException {
        Path closed = temp.resolve("running");
        Path log = file(closed, LOG);
        byte[] whole = Files.readAllBytes(log);
        cut(log, whole.length - 3);
        assertThat(refusal(Kind.CORRUPT, closed))
                .contains("the end of the newest write-ahead log")
                .contains("restore it from a backup");
        Files.write(log, new byte[0]);
        refusal(Kind.CORRUPT, closed);

        Files.write(log, whole);
        try (KvStorage store = open(closed)) {
            assertThat(get(store, "late39")).hasSize(1000);
            assertThat(closed.resolve("CLOSED")).doesNotExist();
        }
        assertThat(closed.resolve("CLOSED")).exists();
    }

    @Test
    void aDamagedMarkOfTheCloseIsIgnored() throws IOException {
        Path closed = temp.resolve("running");
        damage(closed.resolve("CLOSED"), 0);
        open(closed).close();
        Files.write(closed.resolve("CLOSED"), new byte[0]);
        open(closed).close();
        Files.delete(closed.resolve("CLOSED"));
        open(closed).close();
    }

    @Test
    void aMissingLogIsRefused() throws IOException {
        for (Path log : Stores.files(crashed, LOG)) {
            Files.delete(log);
        }

        assertThat(refusal(Kind.CORRUPT, crashed)).contains("write-ahead log").contains("missing");
    }

    @Test
    void aTableCutShortIsRefusedAndNamed() throws IOException {
        Path table = file(crashed, TABLE);
        cut(table, Files.size(table) / 2);

        assertThat(refusal(Kind.CORRUPT, crashed)).contains(table.toString());
    }

    @Test
    void aMissingTableIsRefusedAndNamed() throws IOException {
        Path table = file(crashed, TABLE);
        Files.delete(table);

        assertThat(refusal(Kind.CORRUPT, crashed)).contains(table.toString());
    }

    @Test
    void aDamagedManifestIsRefusedAndNamed() throws IOException {
        Path manifest = file(crashed, "MANIFEST.*");
        damage(manifest, Files.size(manifest) / 2);

        assertThat(refusal(Kind.CORRUPT, crashed)).contains(manifest.toString());
    }

    @Test
    void aMissingManifestIsRefused() throws IOException {
        Path manifest = file(crashed, "MANIFEST.*");
        Files.delete(manifest);

        assertThat(refusal(Kind.CORRUPT, crashed)).contains(manifest.toString());
    }

    @Test
    void aMissingCurrentFileIsRefusedRatherThanStartedAnew() throws IOException {
        Path current = file(crashed, "CURRENT");
        Files.delete(current);

        assertThat(refusal(Kind.CORRUPT, crashed)).contains(current.toString());
        assertThat(current).doesNotExist();
    }

    @Test
    void aDamagedTableIsReportedByEveryKindOfReadAndTheRestIsRead() throws IOException {
        Path table = file(crashed, TABLE);
        damage(table, 100);

        try (KvStorage store = open(crashed);
                Snapshot snapshot = store.snapshot()) {
            Bytes damaged = bytes("early0");
            assertThat(thrown(Kind.CORRUPT, () -> snapshot.get(damaged)))
                    .contains(table.toString());
            thrown(Kind.CORRUPT, () -> snapshot.get(List.of(bytes("late1"), damaged)));
            for (Cursor.Direction direction : Cursor.Direction.values()) {
                try (Cursor cursor = snapshot.cursor(KeyRange.ALL, direction)) {
                    thrown(
                            Kind.CORRUPT,
                            () -> {
                                while (cursor.next()) {}
                            });
                }
            }
            assertThat(snapshot.get(bytes("late1"))).isNotNull();
        }
    }

    /** The last block of a log is where RocksDB takes a damaged length for the log's end. */
    @Test
    void noByteOfALogCanBeDamagedWithoutNotice() throws IOException {
        Path small = temp.resolve("small");
        Path template = temp.resolve("template");
        try (RocksDbStorage store = open(small)) {
            for (int number = 1; number <= 12; number++) {
                put(store, "k" + number, "v");
            }
            copy(small, template);
        }
        byte[] whole = Files.readAllBytes(file(template, LOG));
        LogCheck check = new LogCheck();
        Path damaged = temp.resolve("damaged.log");
        int silent = 0;
        for (int at = 0; at < whole.length; at++) {
            byte[] content = whole.clone();
            content[at] ^= 0x41;
            Files.write(damaged, content);
            boolean noticed = check.damage(damaged).isPresent();
            boolean lastRecord = at >= whole.length * 11 / 12;
            assertThat(noticed || lastRecord).as("damage at byte %d is noticed", at).isTrue();
            silent += noticed ? 0 : 1;
        }
        assertThat(silent).as("nothing follows the last record").isPositive();

        damage(file(template, LOG), 5);
        assertThat(refusal(Kind.CORRUPT, template)).contains("damaged at byte 0");
    }

    @Test
    void aSoundLogHasNoDamageWhereverItIsCut() throws IOException {
        Path running = temp.resolve("long");
        Random random = new Random(1);
        try (RocksDbStorage store = open(running)) {
            for (int number = 0; number < 30; number++) {
                WriteBatch.Builder batch = WriteBatch.builder();
                String value = noise(random, 1 + random.nextInt(30_000));
                Stores.await(store.commit(batch.put(bytes("k" + number), bytes(value)).build()));
            }
            put(store, "last", "1");
            copy(running, temp.resolve("sound"));
        }
        byte[] whole = Files.readAllBytes(file(temp.resolve("sound"), LOG));
        Path log = temp.resolve("cut.log");
        assertThat(whole.length).isGreaterThan(5 * 32768);
        for (int i = 0; i < 300; i++) {
            int length = i == 0 ? whole.length : random.nextInt(whole.length);
            Files.write(log, Arrays.copyOf(whole, length));
            assertThat(new LogCheck().damage(log)).as("cut at %d", length).isEmpty();
        }
        try (KvStorage store = open(temp.resolve("sound"))) {
            assertThat(count(store)).isEqualTo(31);
        }
    }
}
