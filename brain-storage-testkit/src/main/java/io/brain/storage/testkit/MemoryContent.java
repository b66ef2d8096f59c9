package io.brain.storage.testkit;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * All versions of all keys in one sorted map. Writers are serialized. Readers use a timestamp and
 * no lock, because versions never change.
 */
final class MemoryContent {
    /** A version of a key. Sorted by key, newest first. */
    private record Version(Bytes key, long timestamp) implements Comparable<Version> {
        private static final Comparator<Version> ORDER =
                Comparator.comparing(Version::key)
                        .thenComparing(Comparator.comparingLong(Version::timestamp).reversed());

        static Version newestOf(Bytes key) {
            return new Version(key, Long.MAX_VALUE);
        }

        static Version oldestOf(Bytes key) {
            return new Version(key, 0);
        }

        @Override
        public int compareTo(Version other) {
            return ORDER.compare(this, other);
        }
    }

    /** The value of each version; empty where it is a removal. */
    private final NavigableMap<Version, Optional<Bytes>> versions = new ConcurrentSkipListMap<>();

    private volatile long newest = 1;

    /** The timestamp of the newest commit; everything up to it is complete. */
    long timestamp() {
        return newest;
    }

    /** Commits or refuses the batch atomically. */
    synchronized CommitResult apply(WriteBatch batch) {
        for (Mutation mutation : batch.mutations()) {
            Bytes actual = get(mutation.key(), newest);
            if (!mutation.holds(actual)) {
                return new CommitResult.Conflict(mutation.key(), Optional.ofNullable(actual));
            }
        }
        long timestamp = newest + 1;
        for (Mutation mutation : batch.mutations()) {
            Version version = new Version(mutation.key(), timestamp);
            versions.put(version, Optional.ofNullable(mutation.newValue()));
        }
        newest = timestamp;
        return new CommitResult.Committed(timestamp);
    }

    /** The timestamp at which {@code value} was stored under {@code key}; empty if it never was. */
    Optional<Long> storedAt(Bytes key, Bytes value) {
        return versions
                .subMap(Version.newestOf(key), true, Version.oldestOf(key), true)
                .entrySet()
                .stream()
                .filter(version -> version.getValue().equals(Optional.of(value)))
                .map(version -> version.getKey().timestamp())
                .findFirst();
    }

    /** The value of {@code key} as of {@code timestamp}; null if it was absent. */
    Bytes get(Bytes key, long timestamp) {
        var version = versions.ceilingEntry(new Version(key, timestamp));
        boolean found = version != null && version.getKey().key().equals(key);
        return found ? version.getValue().orElse(null) : null;
    }

    /** The least key {@code >= from} that had a value at {@code timestamp}; null if none had. */
    Map.Entry<Bytes, Bytes> ceiling(Bytes from, long timestamp) {
        Version next = versions.ceilingKey(Version.newestOf(from));
        while (next != null) {
            Bytes value = get(next.key(), timestamp);
            if (value != null) {
                return Map.entry(next.key(), value);
            }
            next = versions.higherKey(Version.oldestOf(next.key()));
        }
        return null;
    }

    /** The greatest key {@code < from} that had a value then; a null {@code from}: of all keys. */
    Map.Entry<Bytes, Bytes> lower(Bytes from, long timestamp) {
        Version next = from == null ? lastVersion() : versions.lowerKey(Version.newestOf(from));
        while (next != null) {
            Bytes value = get(next.key(), timestamp);
            if (value != null) {
                return Map.entry(next.key(), value);
            }
            next = versions.lowerKey(Version.newestOf(next.key()));
        }
        return null;
    }

    private Version lastVersion() {
        var last = versions.lastEntry();
        return last == null ? null : last.getKey();
    }
}
