package io.brain.backend;

import io.brain.backend.cluster.election.ElectionSettings;
import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.compact.AutoCompactSettings;
import io.brain.backend.hash.HashSettings;
import io.brain.backend.model.TtlRules;
import io.brain.backend.read.ReadSettings;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.watch.WatchSettings;
import io.brain.storage.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The settings of a {@link Node}.
 *
 * @param keyspace prefix of all stored keys, which separates clusters in one storage; may be empty
 */
public record NodeSettings(
        Bytes keyspace,
        Limits limits,
        ElectionSettings election,
        TermSettings term,
        ReadSettings read,
        WatchSettings watch,
        HashSettings hash,
        AutoCompactSettings autoCompact) {
    private static final int READS_MAX = 10_000;
    private static final long REQUEST_BYTES_MAX = 64 << 20;
    private static final long CACHE_BYTES_MAX = 128 << 20;

    /** Heap per read and per watcher, for the limits on their numbers. */
    private static final int READ_BYTES = 16 << 10;

    private static final int WATCHER_BYTES = 4 << 10;

    /**
     * Limits on requests.
     *
     * @param quotaBytes stored bytes at which writes are refused and an alarm is raised; 0: none
     * @param requestBytesMax bytes of a write request
     * @param txnOpsMax compares, or operations of a branch, of a transaction
     * @param requestTimeout time after which a pending request fails with TIMEOUT; it may still
     *     take effect
     */
    public record Limits(
            long quotaBytes, int requestBytesMax, int txnOpsMax, Duration requestTimeout) {
        /** etcd's limits without a quota. */
        public static final Limits DEFAULTS = new Limits(0, 1536 << 10, 128, Duration.ofSeconds(7));

        /** Checks the limits. */
        public Limits {
            if (quotaBytes < 0
                    || requestBytesMax < 1
                    || txnOpsMax < 1
                    || requestTimeout.isNegative()
                    || requestTimeout.isZero()) {
                throw new IllegalArgumentException("limits must be positive");
            }
        }
    }

    /**
     * The defaults of all settings that do not depend on the size of the heap.
     *
     * @param responseBytesMax bytes of responses that may be on the heap at once
     */
    public static NodeSettings defaults(long responseBytesMax) {
        return new NodeSettings(
                Bytes.EMPTY,
                Limits.DEFAULTS,
                ElectionSettings.DEFAULTS,
                TermSettings.DEFAULTS,
                new ReadSettings(responseBytesMax, READS_MAX, REQUEST_BYTES_MAX, CACHE_BYTES_MAX),
                WatchSettings.DEFAULT,
                HashSettings.withFile(Path.of(System.getProperty("java.io.tmpdir"), "brain-hash")),
                AutoCompactSettings.OFF);
    }

    /**
     * The defaults for a heap: a quarter each for responses and pending writes, an eighth each for
     * recent events and the writer's records, a sixteenth each for waiting read requests, the head
     * cache, and the versions that one revision replaces. Another eighth, outside of the heap, is
     * for watch responses that clients have not read.
     *
     * @param heapBytes maximum size of the heap
     */
    public static NodeSettings forHeap(long heapBytes) {
        long eighth = heapBytes / 8;
        NodeSettings defaults = defaults(2 * eighth);
        TermSettings term = defaults.term;
        WatchSettings watch = defaults.watch;
        long reads = Math.min(Math.max(READS_MAX, heapBytes / READ_BYTES), Integer.MAX_VALUE);
        long watchers = Math.min(watch.watchersMax(), heapBytes / WATCHER_BYTES);
        return new NodeSettings(
                defaults.keyspace,
                defaults.limits,
                defaults.election,
                term.withWrite(term.write().within(2 * eighth, eighth, eighth / 2)),
                new ReadSettings(
                        2 * eighth, (int) reads, eighth / 2, Math.min(CACHE_BYTES_MAX, eighth / 2)),
                watch.withRing(Math.min(watch.ringBytesMax(), eighth))
                        .withUnsent(Math.min(watch.unsentBytesMax(), eighth))
                        .withWatchersMax((int) watchers),
                defaults.hash,
                defaults.autoCompact);
    }

    /** A copy for another keyspace; see {@link KeyCoder#prefix}. */
    public NodeSettings withKeyspace(String name) {
        Bytes prefix = KeyCoder.prefix(name);
        return new NodeSettings(prefix, limits, election, term, read, watch, hash, autoCompact);
    }

    /** A copy for another member without a text for its process. */
    public NodeSettings withMember(
            String name, List<String> peerUrls, List<String> clientUrls, Duration lease) {
        return withElection(new ElectionSettings(name, peerUrls, clientUrls, lease, "", false));
    }

    /** A copy for another member. */
    public NodeSettings withElection(ElectionSettings other) {
        return new NodeSettings(keyspace, limits, other, term, read, watch, hash, autoCompact);
    }

    /** A copy with other limits on requests. */
    public NodeSettings withLimits(Limits other) {
        return new NodeSettings(keyspace, other, election, term, read, watch, hash, autoCompact);
    }

    /** A copy with other limits of a term. */
    public NodeSettings withTerm(TermSettings other) {
        return new NodeSettings(keyspace, limits, election, other, read, watch, hash, autoCompact);
    }

    /** A copy with other limits of watches. */
    public NodeSettings withWatch(WatchSettings other) {
        return new NodeSettings(keyspace, limits, election, term, read, other, hash, autoCompact);
    }

    /**
     * A copy for watchers that resume below the compact revision.
     *
     * @param revisions how far below; the commit log keeps as many; 0: they may not
     */
    public NodeSettings withResume(long revisions) {
        return withWatch(watch.withResume(revisions))
                .withTerm(term.withCompact(term.compact().withLogKept(revisions)));
    }

    /** A copy with other limits of hashes. */
    public NodeSettings withHash(HashSettings other) {
        return new NodeSettings(keyspace, limits, election, term, read, watch, other, autoCompact);
    }

    /**
     * A copy with auto-compaction.
     *
     * @param period time for which history is kept; zero: no limit
     * @param revisions number of revisions that are kept; 0: no limit; not both
     */
    public NodeSettings withRetention(Duration period, long revisions) {
        AutoCompactSettings other = AutoCompactSettings.OFF;
        if (!period.isZero()) {
            other = AutoCompactSettings.periodic(period);
        } else if (revisions != 0) {
            other = AutoCompactSettings.revisions(revisions);
        }
        return new NodeSettings(keyspace, limits, election, term, read, watch, hash, other);
    }

    /** A copy with rules of expiry; {@code rules} is read by several threads, must not block. */
    public NodeSettings withTtlRules(Supplier<TtlRules> rules) {
        return withTerm(term.withWrite(term.write().withTtlRules(rules)));
    }

    /** A copy with or without stored checkpoints of leases' remaining TTLs. */
    public NodeSettings withLeaseCheckpoints(boolean wanted) {
        return withTerm(term.withLease(term.lease().withCheckpoints(wanted)));
    }
}
