package io.brain.backend;

import io.brain.backend.cluster.election.ElectionSettings;
import io.brain.backend.cluster.election.TermSettings;
import io.brain.backend.read.ReadSettings;
import io.brain.backend.store.Keyspace;
import io.brain.backend.watch.WatchSettings;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * Everything about a {@link Node} that can be set.
 *
 * @param keyspace prefix of all stored keys, which keeps clusters apart in one store; may be empty
 */
public record NodeSettings(
        Bytes keyspace,
        NodeLimits limits,
        ElectionSettings election,
        TermSettings term,
        ReadSettings read,
        WatchSettings watch,
        UpkeepSettings upkeep) {
    private static final int READS_MAX = 10_000;
    private static final long QUESTION_BYTES_MAX = 64 << 20;
    private static final long CACHE_BYTES_MAX = 128 << 20;

    /** What reads and watchers may take of the heap, each with all that belongs to it. */
    private static final int READ_BYTES = 16 << 10;

    private static final int WATCHER_BYTES = 4 << 10;

    /**
     * The defaults of everything that does not depend on the size of the heap.
     *
     * @param responseBytesMax bytes of answers that may be on the heap at once
     */
    public static NodeSettings defaults(long responseBytesMax) {
        return new NodeSettings(
                Bytes.EMPTY,
                NodeLimits.DEFAULTS,
                ElectionSettings.DEFAULTS,
                TermSettings.DEFAULTS,
                new ReadSettings(responseBytesMax, READS_MAX, QUESTION_BYTES_MAX, CACHE_BYTES_MAX),
                WatchSettings.DEFAULT,
                UpkeepSettings.DEFAULTS);
    }

    /**
     * The defaults for a heap: a quarter of it for answers, a quarter for writes that wait, an
     * eighth each for recent events and for newest records, a sixteenth for what waiting reads ask
     * and for what they find in memory; an eighth for watch responses that clients have not read
     * (in buffers outside of the heap), and a sixteenth for what one revision may replace.
     *
     * @param heapBytes the most that the heap can grow to
     */
    public static NodeSettings forHeap(long heapBytes) {
        long eighth = heapBytes / 8;
        NodeSettings all = defaults(2 * eighth);
        long reads = Math.min(Math.max(READS_MAX, heapBytes / READ_BYTES), Integer.MAX_VALUE);
        long watchers = Math.min(all.watch().watchersMax(), heapBytes / WATCHER_BYTES);
        return all.withTerm(
                        all.term()
                                .withWrite(
                                        all.term().write().within(2 * eighth, eighth, eighth / 2)))
                .withRead(
                        new ReadSettings(
                                2 * eighth,
                                (int) reads,
                                eighth / 2,
                                Math.min(CACHE_BYTES_MAX, eighth / 2)))
                .withWatch(
                        all.watch()
                                .withRing(Math.min(all.watch().ringBytesMax(), eighth))
                                .withUnsent(Math.min(all.watch().unsentBytesMax(), eighth))
                                .withWatchersMax((int) watchers));
    }

    /** The same in the part of the store that has this name; see {@link Keyspace#prefix}. */
    public NodeSettings withKeyspace(String name) {
        return new NodeSettings(Keyspace.prefix(name), limits, election, term, read, watch, upkeep);
    }

    /** The same as another member, with another lease; see {@link ElectionSettings}. */
    public NodeSettings withMember(
            String name, List<String> peerUrls, List<String> clientUrls, Duration lease) {
        ElectionSettings other =
                new ElectionSettings(name, peerUrls, clientUrls, lease, election.process());
        return new NodeSettings(keyspace, limits, other, term, read, watch, upkeep);
    }

    /** The same with a text that identifies the process; see {@link ElectionSettings}. */
    public NodeSettings withProcess(String process) {
        ElectionSettings other =
                new ElectionSettings(
                        election.name(),
                        election.peerUrls(),
                        election.clientUrls(),
                        election.lease(),
                        process);
        return new NodeSettings(keyspace, limits, other, term, read, watch, upkeep);
    }

    /** The same with other limits. */
    public NodeSettings withLimits(NodeLimits other) {
        return new NodeSettings(keyspace, other, election, term, read, watch, upkeep);
    }

    /** The same with other bounds of a term. */
    public NodeSettings withTerm(TermSettings other) {
        return new NodeSettings(keyspace, limits, election, other, read, watch, upkeep);
    }

    /** The same with other bounds of reads. */
    public NodeSettings withRead(ReadSettings other) {
        return new NodeSettings(keyspace, limits, election, term, other, watch, upkeep);
    }

    /** The same with other bounds of watching. */
    public NodeSettings withWatch(WatchSettings other) {
        return new NodeSettings(keyspace, limits, election, term, read, other, upkeep);
    }

    /** The same with other upkeep. */
    public NodeSettings withUpkeep(UpkeepSettings other) {
        return new NodeSettings(keyspace, limits, election, term, read, watch, other);
    }

    /** The same; what is left of leases is stored and goes on after a restart, or is not. */
    public NodeSettings withLeaseCheckpoints(boolean wanted) {
        return withTerm(term.withLease(term.lease().withCheckpoints(wanted)));
    }
}
