package io.brain.transfer.backup;

import static io.brain.transfer.backup.RetentionTest.full;
import static io.brain.transfer.backup.RetentionTest.increment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:30:00Z");

    private final BackupRecord full = full(START);
    private final BackupRecord first = increment(START.plusSeconds(60), full);
    private final BackupRecord second = increment(START.plusSeconds(120), first);

    @TempDir Path directory;

    @Test
    void recordsAreReadInOrderOfTime() throws IOException {
        try (BackupStore store = new DirectoryStore(directory)) {
            for (BackupRecord backup : List.of(second, full, first)) {
                put(store, backup.name(), backup.encode());
            }
            store.put(second.dataName(), out -> out.write(1));
            Backups backups = Backups.read(store);
            assertThat(backups.all()).containsExactly(full, first, second);
            assertThatThrownBy(() -> backups.chainOf(second))
                    .isInstanceOf(BackupException.class)
                    .hasMessage(full.dataName() + " is missing, the data of a backup");
        }
    }

    @Test
    void onlyDataOfBackupsWithoutARecordAreNamed() throws IOException {
        try (BackupStore store = new DirectoryStore(directory)) {
            put(store, full.name(), full.encode());
            for (String name : List.of(full.dataName(), first.dataName(), "notes.db.zst")) {
                store.put(name, out -> out.write(1));
            }
            assertThat(Backups.read(store).dataWithoutRecord()).containsExactly(first.dataName());
        }
    }

    @Test
    void aRecordWithoutTheTimeOfItsLastRevisionIsRead() throws IOException {
        String older = full.encode().replace("\"committed\":1,", "");
        assertThat(BackupRecord.decode("a", older).committed()).isZero();
    }

    @Test
    void aMalformedRecordIsNamed() throws IOException {
        try (BackupStore store = new DirectoryStore(directory)) {
            for (String text :
                    List.of(
                            "",
                            "[]",
                            "{}",
                            "{\"format\":1}",
                            full.encode().substring(20),
                            full.encode().replace("\"base\":\"\"", "\"base\":null"),
                            "\"x\"")) {
                put(store, "a", text);
                assertThatThrownBy(() -> Backups.read(store))
                        .isInstanceOf(BackupException.class)
                        .hasMessage("a.json: not a record of a backup");
            }
            put(store, "a", full.encode().replace("\"format\":1", "\"format\":2"));
            assertThatThrownBy(() -> Backups.read(store))
                    .hasMessage("a.json: written by another version of Brain (format 2)");
        }
    }

    @Test
    void theShortestChainHasTheRevision() throws IOException {
        Backups backups = new Backups(List.of(full, first, second));
        assertThat(backups.chainTo(0)).containsExactly(full, first, second);
        assertThat(backups.chainTo(30)).containsExactly(full, first, second);
        assertThat(backups.chainTo(20)).containsExactly(full, first);
        assertThat(backups.chainTo(11)).containsExactly(full, first);
        assertThat(backups.chainTo(10)).containsExactly(full);
        assertThat(backups.chainTo(1)).containsExactly(full);
        assertThatThrownBy(() -> backups.chainTo(31))
                .isInstanceOf(BackupException.class)
                .hasMessage("no backup has revision 31; they begin with 1 and end with 30");
    }

    @Test
    void aLaterFullBackupEndsTheNeedForAChain() throws IOException {
        BackupRecord later =
                new BackupRecord("c", "", 0, 25, 40, 1, START.plusSeconds(180), 1, 1, "", false);
        Backups backups = new Backups(List.of(full, first, second, later));
        assertThat(backups.chainTo(0)).containsExactly(later);
        assertThat(backups.chainTo(25)).containsExactly(later);
        assertThat(backups.chainTo(24)).containsExactly(full, first, second);
        assertThat(backups.newest()).contains(later);
    }

    @Test
    void aMissingBackupIsNamed() {
        Backups backups = new Backups(List.of(full, second));
        assertThatThrownBy(() -> backups.chainTo(0))
                .isInstanceOf(BackupException.class)
                .hasMessage(
                        "the backup 20260101T003100.000Z is missing, which"
                                + " 20260101T003200.000Z continues");
        assertThatThrownBy(() -> backups.chainTo(25)).hasMessageContaining(" is missing, ");
        assertThatThrownBy(() -> new Backups(List.of()).chainTo(0))
                .hasMessage("there is no backup");
    }

    @Test
    void aTimeIsThatOfTheLeaderWhoseClockMayBeBehind() throws IOException {
        Instant second = START.plusSeconds(10);
        BackupRecord early = committed(full(START.plusSeconds(20)), second.minusSeconds(1));
        BackupRecord exact = committed(increment(START.plusSeconds(30), early), second);
        BackupRecord late =
                committed(increment(START.plusSeconds(40), exact), second.plusSeconds(1));
        BackupRecord same =
                new BackupRecord(
                        "c",
                        exact.name(),
                        exact.revision(),
                        -1,
                        exact.revision(),
                        0,
                        START.plusSeconds(50),
                        1,
                        1,
                        "",
                        false);
        assertThat(new Backups(List.of(early, exact, late)).firstAfter(second)).isEqualTo(late);
        assertThat(new Backups(List.of(early, exact)).firstAfter(second)).isEqualTo(exact);
        assertThat(new Backups(List.of(early, exact, same)).firstAfter(second)).isEqualTo(exact);
        assertThat(new Backups(List.of(late, same)).firstAfter(START)).isEqualTo(late);
    }

    @Test
    void recordsThatContinueEachOtherAreRefused() {
        BackupRecord one =
                new BackupRecord("c", second.name(), 30, -1, 30, 1, START, 1, 1, "", false);
        BackupRecord other =
                new BackupRecord("c", one.name(), 30, -1, 30, 1, second.time(), 1, 1, "", false);
        Backups backups = new Backups(List.of(one, other));
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () ->
                        assertThatThrownBy(() -> backups.chainTo(0))
                                .isInstanceOf(BackupException.class)
                                .hasMessageEndingWith("continue each other"));
    }

    private static BackupRecord committed(BackupRecord backup, Instant time) {
        return new BackupRecord(
                backup.clusterId(),
                backup.base(),
                backup.after(),
                backup.compacted(),
                backup.revision(),
                time.getEpochSecond(),
                backup.time(),
                1,
                1,
                "",
                false);
    }

    private static void put(BackupStore store, String name, String text) throws IOException {
        store.put(
                name + BackupRecord.SUFFIX,
                out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }
}
