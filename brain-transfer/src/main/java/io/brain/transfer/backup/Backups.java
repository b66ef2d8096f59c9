package io.brain.transfer.backup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The backups of a store. A full backup and the increments that continue it, each the one before,
 * are a chain.
 *
 * @param all in order of time
 * @param data names of the objects with data; each should have a record
 */
public record Backups(List<BackupRecord> all, Set<String> data) {
    private static final int RECORD_BYTES_MAX = 64 << 10;

    /** Copies both. */
    public Backups {
        all = List.copyOf(all);
        data = Set.copyOf(data);
    }

    /** Backups that have their data. */
    Backups(List<BackupRecord> all) {
        this(all, all.stream().map(BackupRecord::dataName).collect(Collectors.toSet()));
    }

    /** Reads all records. */
    public static Backups read(BackupStore store) throws IOException {
        List<BackupRecord> all = new ArrayList<>();
        Set<String> data = new HashSet<>();
        for (String name : store.names()) {
            if (BackupRecord.isDataName(name)) {
                data.add(name);
            } else if (name.endsWith(BackupRecord.SUFFIX)) {
                try (InputStream in = store.open(name)) {
                    byte[] stored = in.readNBytes(RECORD_BYTES_MAX);
                    all.add(BackupRecord.decode(name, new String(stored, StandardCharsets.UTF_8)));
                }
            }
        }
        return new Backups(all, data);
    }

    /** Data that no record describes: what an interrupted backup or deletion has left. */
    Set<String> dataWithoutRecord() {
        Set<String> rest = new HashSet<>(data);
        all.forEach(backup -> rest.remove(backup.dataName()));
        return rest;
    }

    /** These, and a newer one. */
    Backups with(BackupRecord newer) {
        List<BackupRecord> more = new ArrayList<>(all);
        more.add(newer);
        return new Backups(more, data);
    }

    /**
     * These, without those that were added after one.
     *
     * @throws BackupException if it does not exist
     */
    Backups until(String name) throws BackupException {
        if (all.stream().noneMatch(backup -> backup.name().equals(name))) {
            throw new BackupException("there is no backup " + name);
        }
        return new Backups(
                all.stream().filter(backup -> backup.name().compareTo(name) <= 0).toList(), data);
    }

    /** The last one. */
    Optional<BackupRecord> newest() {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /**
     * The chain that ends with a backup: a full one, then increments.
     *
     * @throws BackupException if one of them, or its data, is missing, or they have no beginning
     */
    List<BackupRecord> chainOf(BackupRecord last) throws BackupException {
        Map<String, BackupRecord> byName = new HashMap<>();
        all.forEach(backup -> byName.put(backup.name(), backup));
        Deque<BackupRecord> chain = new ArrayDeque<>();
        chain.addFirst(last);
        while (!chain.getFirst().isFull()) {
            BackupRecord next = chain.getFirst();
            BackupRecord base = byName.get(next.base());
            if (base == null || base.revision() != next.after()) {
                throw new BackupException(
                        "the backup %s is missing, which %s continues"
                                .formatted(next.base(), next.name()));
            }
            if (chain.size() == all.size()) {
                throw new BackupException(
                        "the records of %s and of the backups before it continue each other"
                                .formatted(last.name()));
            }
            chain.addFirst(base);
        }
        for (BackupRecord backup : chain) {
            if (!data.contains(backup.dataName())) {
                throw new BackupException(
                        "%s is missing, the data of a backup".formatted(backup.dataName()));
            }
        }
        return List.copyOf(chain);
    }

    /**
     * The shortest chain with a revision.
     *
     * @param revision 0: the newest one
     * @throws BackupException if no complete chain has it
     */
    List<BackupRecord> chainTo(long revision) throws BackupException {
        if (all.isEmpty()) {
            throw new BackupException("there is no backup");
        }
        BackupException missing = null;
        for (int i = all.size() - 1; i >= 0; i--) {
            BackupRecord last = all.get(i);
            boolean first = last.after() < revision || last.isFull();
            if (revision == 0 || (revision <= last.revision() && first)) {
                try {
                    List<BackupRecord> chain = chainOf(last);
                    if (revision == 0 || revision >= chain.get(0).compacted()) {
                        return chain;
                    }
                } catch (BackupException broken) {
                    if (revision == 0) {
                        throw broken;
                    }
                    missing = broken;
                }
            }
        }
        if (missing != null) {
            throw missing;
        }
        throw new BackupException("no backup has revision " + revision + "; " + range());
    }

    /**
     * The first backup that has all changes up to the end of a second of the leader's clock. The
     * order of backups is that of another clock, which may be ahead: a backup surely has them if it
     * has a later change. If none has one, there are no more changes than those of the newest.
     *
     * @throws BackupException if there is none
     */
    BackupRecord firstAfter(Instant second) throws BackupException {
        Instant end = second.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        BackupRecord last = newest().orElseThrow(() -> new BackupException("there is no backup"));
        if (last.time().isBefore(end)) {
            throw new BackupException("the newest backup is of " + last.time());
        }
        List<BackupRecord> later = all.stream().filter(one -> !one.time().isBefore(end)).toList();
        return later.stream()
                .filter(backup -> backup.committed() >= end.getEpochSecond())
                .findFirst()
                .orElseGet(() -> firstOf(last.revision(), later));
    }

    private static BackupRecord firstOf(long revision, List<BackupRecord> backups) {
        return backups.stream()
                .filter(backup -> backup.revision() == revision)
                .findFirst()
                .orElseThrow();
    }

    private String range() {
        BackupRecord first = all.get(0);
        return "they begin with %d and end with %d"
                .formatted(
                        first.isFull() ? Math.max(1, first.compacted()) : first.after() + 1,
                        all.stream().mapToLong(BackupRecord::revision).max().orElse(0));
    }
}
