package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {
    private static final Instant START = Instant.parse("2026-01-01T00:30:00Z");

    @Test
    void theLastOfEachDayAndWeekIsKept() {
        List<BackupRecord> all = new ArrayList<>();
        for (int hour = 0; hour < 24 * 40; hour += 6) {
            all.add(full(START.plus(Duration.ofHours(hour))));
        }
        assertThat(kept("3d,3w", all))
                .containsExactly(
                        // The weeks end on Sundays; 9 February is a Monday.
                        "2026-02-01T18:30:00Z",
                        "2026-02-07T18:30:00Z",
                        "2026-02-08T18:30:00Z",
                        "2026-02-09T18:30:00Z");
        assertThat(kept("1y", all)).containsExactly("2026-02-09T18:30:00Z");
        assertThat(kept("2m", all)).containsExactly("2026-01-31T18:30:00Z", "2026-02-09T18:30:00Z");
        assertThat(kept("1h", all)).containsExactly("2026-02-09T18:30:00Z");
    }

    @Test
    void whatAKeptIncrementContinuesIsKept() {
        BackupRecord full = full(START);
        BackupRecord first = increment(START.plus(Duration.ofDays(1)), full);
        BackupRecord second = increment(START.plus(Duration.ofDays(2)), first);
        BackupRecord last = full(START.plus(Duration.ofDays(3)));
        List<BackupRecord> all = List.of(full, first, second, last);
        assertThat(Retention.parse("2d").expired(new Backups(all))).isEmpty();
        assertThat(Retention.parse("1d").expired(new Backups(all)))
                .containsExactly(second, first, full);
    }

    @Test
    void whatAKeptIncrementContinuesIsKeptIfTheClockWasWrong() {
        BackupRecord base = full(START.plus(Duration.ofDays(2)));
        BackupRecord first = increment(START, base);
        BackupRecord second = increment(START.plus(Duration.ofHours(1)), first);
        BackupRecord last = full(START.plus(Duration.ofHours(50)));
        Backups backups = new Backups(List.of(first, second, base, last));
        assertThat(Retention.parse("2d").expired(backups)).isEmpty();
        assertThat(Retention.parse("1d").expired(backups)).containsExactly(base, second, first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "d", "0d", "-1d", "7d,", "7d 4w", "100000d", "7s"})
    void malformedRulesAreRefused(String text) {
        assertThatThrownBy(() -> Retention.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    static BackupRecord full(Instant time) {
        return new BackupRecord("c", "", 0, -1, 10, 1, time, 1, 1, "", false);
    }

    static BackupRecord increment(Instant time, BackupRecord base) {
        long after = base.revision();
        return new BackupRecord("c", base.name(), after, -1, after + 10, 1, time, 1, 1, "", false);
    }

    private static List<String> kept(String rules, List<BackupRecord> all) {
        List<BackupRecord> expired = Retention.parse(rules).expired(new Backups(all));
        return all.stream()
                .filter(backup -> !expired.contains(backup))
                .map(backup -> backup.time().toString())
                .toList();
    }
}
