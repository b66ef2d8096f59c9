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
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The backups of a store. A full backup and the increments that continue it, each the one before,
 * are a chain.
 *
 * @param all in order of time
 */
public record Backups(List<BackupRecord> all) {
    private static final int RECORD_BYTES_MAX = 64 << 10;

    /** Copies the list. */
    public Backups {
        all = List.copyOf(all);
    }

    /** Reads all records. */
    public static Backups read(BackupStore store) throws IOException {
        List<BackupRecord> all = new ArrayList<>();
        for (String name : store.names()) {
            if (name.endsWith(BackupRecord.SUFFIX)) {
                try (InputStream in = store.open(name)) {
                    byte[] stored = in.readNBytes(RECORD_BYTES_MAX);
                    all.add(BackupRecord.decode(name, new String(stored, StandardCharsets.UTF_8)));
                }
            }
        }
        return new Backups(all);
    }

    /** These, and a newer one. */
    Backups with(BackupRecord newer) {
        List<BackupRecord> more = new ArrayList<>(all);
        more.add(newer);
        return new Backups(more);
    }

    /** The last one. */
    Optional<BackupRecord> newest() {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /**
     * The chain that ends with a backup: a full one, then increments.
     *
     * @throws BackupException if one of them is missing
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
            chain.addFirst(base);
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
     * The first backup that has all changes up to the end of a second.
     *
     * @throws BackupException if there is none
     */
    BackupRecord firstAfter(Instant second) throws BackupException {
        Instant end = second.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        for (BackupRecord backup : all) {
            if (!backup.time().isBefore(end)) {
                return backup;
            }
        }
        throw new BackupException(
                all.isEmpty()
                        ? "there is no backup"
                        : "the newest backup is of " + all.get(all.size() - 1).time());
    }

    private String range() {
        BackupRecord first = all.get(0);
        return "they begin with %d and end with %d"
                .formatted(
                        first.isFull() ? Math.max(1, first.compacted()) : first.after() + 1,
                        all.stream().mapToLong(BackupRecord::revision).max().orElse(0));
    }
}
