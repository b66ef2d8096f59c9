package io.brain.transfer.backup;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which backups to keep: of each of the last hours, days, weeks, months or years with a backup, the
 * last one, in UTC; and what these continue.
 */
public final class Retention {
    private static final Pattern RULE = Pattern.compile("([1-9][0-9]{0,4})([hdwmy])");

    private record Rule(int count, char unit) {
        /** Equal for times in the same hour, day, ... */
        Object period(Instant time) {
            ZonedDateTime utc = time.atZone(ZoneOffset.UTC);
            return switch (unit) {
                case 'h' -> utc.truncatedTo(ChronoUnit.HOURS);
                case 'd' -> utc.toLocalDate();
                case 'w' ->
                        utc.get(IsoFields.WEEK_BASED_YEAR)
                                + "-"
                                + utc.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
                case 'm' -> utc.getYear() + "-" + utc.getMonthValue();
                default -> utc.getYear();
            };
        }
    }

    private final List<Rule> rules;

    private Retention(List<Rule> rules) {
        this.rules = rules;
    }

    /**
     * Reads rules such as {@code 7d,4w}.
     *
     * @throws IllegalArgumentException if the text is malformed
     */
    public static Retention parse(String text) {
        List<Rule> rules = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            Matcher rule = RULE.matcher(word.trim());
            if (!rule.matches()) {
                throw new IllegalArgumentException(
                        "\"%s\" is not a number of hours, days, weeks, months or years, such as 7d"
                                .formatted(word));
            }
            rules.add(new Rule(Integer.parseInt(rule.group(1)), rule.group(2).charAt(0)));
        }
        return new Retention(List.copyOf(rules));
    }

    /** The backups to delete, newest first. The newest one is always kept. */
    List<BackupRecord> expired(Backups backups) {
        Set<String> kept = new HashSet<>();
        for (Rule rule : rules) {
            Map<Object, BackupRecord> last = new LinkedHashMap<>();
            newestFirst(backups)
                    .forEach(backup -> last.putIfAbsent(rule.period(backup.time()), backup));
            last.values().stream().limit(rule.count()).forEach(backup -> kept.add(backup.name()));
        }
        Set<String> needed = withBases(kept, backups);
        return newestFirst(backups).stream()
                .filter(backup -> !needed.contains(backup.name()))
                .toList();
    }

    /** Adds what they continue, whatever its time: the clock may have been wrong. */
    private static Set<String> withBases(Set<String> names, Backups backups) {
        Map<String, String> bases = new HashMap<>();
        backups.all().forEach(backup -> bases.put(backup.name(), backup.base()));
        Set<String> all = new HashSet<>();
        for (String name : names) {
            String next = name;
            while (next != null && all.add(next)) {
                next = bases.get(next);
            }
        }
        return all;
    }

    private static List<BackupRecord> newestFirst(Backups backups) {
        List<BackupRecord> all = new ArrayList<>(backups.all());
        Collections.reverse(all);
        return all;
    }
}
