package io.brain.transfer.load;

import io.brain.storage.Bytes;
import io.brain.transfer.etcd.EtcdFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A random history of few keys, in the form of a database and as plain lists. */
final class RandomHistory {
    private static final long[] LEASES = {0, 0, 0, 7, -9};

    private record Line(long revision, int sub, boolean delete, Bytes key) {}

    final EtcdFixture database = new EtcdFixture().lease(7, 60, 12).lease(-9, 9_000, 0);
    private final Random random;
    private final int valueBytesMax;
    private final List<Bytes> keys = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();

    /** The existing keys with the change that put them, at each revision from 0 on. */
    private final List<TreeMap<Bytes, String>> states = new ArrayList<>();

    private final TreeMap<Bytes, String> state = new TreeMap<>();
    final long compacted;

    RandomHistory(Random random, int keyCount, int revisions, int changesMax, int valueBytesMax) {
        this.random = random;
        this.valueBytesMax = valueBytesMax;
        for (int i = 0; i < keyCount; i++) {
            byte[] key = new byte[1 + random.nextInt(5)];
            random.nextBytes(key);
            keys.add(Bytes.utf8(i % 3 + "/").concat(Bytes.wrap(key)));
        }
        states.add(new TreeMap<>());
        states.add(new TreeMap<>());
        for (int i = 0; i < revisions; i++) {
            database.next();
            addRevision(1 + (random.nextInt(4) == 0 ? random.nextInt(changesMax) : 0));
            states.add(new TreeMap<>(state));
        }
        compacted = random.nextInt(5) == 0 ? -1 : 1 + random.nextInt(revisions + 1);
        if (compacted > 0) {
            database.compact(compacted);
            removeSome();
        }
    }

    private void addRevision(int changes) {
        for (int sub = 0; sub < changes; sub++) {
            Bytes key = keys.get(random.nextInt(keys.size()));
            boolean delete = database.exists(key) && random.nextInt(3) == 0;
            lines.add(new Line(database.revision(), sub, delete, key));
            if (delete) {
                database.delete(key);
                state.remove(key);
                continue;
            }
            byte[] value = new byte[random.nextInt(valueBytesMax)];
            random.nextBytes(value);
            database.put(key, Bytes.wrap(value), LEASES[random.nextInt(LEASES.length)]);
            state.put(key, database.revision() + " " + Bytes.wrap(value));
        }
    }

    /** Removes a part of what a compaction removes, as one that was interrupted. */
    private void removeSome() {
        long end = random.nextInt((int) compacted + 1);
        for (Line line : lines) {
            boolean replaced =
                    lines.stream()
                            .anyMatch(
                                    other ->
                                            other.key().equals(line.key())
                                                    && other.revision() <= compacted
                                                    && isAfter(other, line));
            if (line.revision() <= end && (replaced || line.delete())) {
                database.remove(line.revision(), line.sub(), line.delete());
            }
        }
    }

    private static boolean isAfter(Line later, Line earlier) {
        return later.revision() > earlier.revision()
                || (later.revision() == earlier.revision() && later.sub() > earlier.sub());
    }

    long revision() {
        return database.revision();
    }

    /** The oldest readable revision. */
    long floor() {
        return Math.max(1, compacted);
    }

    /** Keys at a revision with revision and value of the put. */
    Map<Bytes, String> at(long revision, Predicate<Bytes> included) {
        TreeMap<Bytes, String> all = new TreeMap<>(states.get((int) revision));
        all.keySet().removeIf(included.negate());
        return all;
    }

    /** Events above the compacted revision, as {@link ImportedStore#events}. */
    List<String> events(Predicate<Bytes> included) {
        return lines.stream()
                .filter(line -> line.revision() > compacted && included.test(line.key()))
                .map(l -> ImportedStore.line(l.revision(), l.sub(), l.delete(), l.key()))
                .toList();
    }
}
