package io.brain.server.console;

import io.brain.backend.Backend;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Reply;
import io.brain.backend.traffic.KeyPrefix;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Finds all prefixes with range requests: reads the next few keys, takes the prefix of the first,
 * counts the keys with that prefix, and continues after them. Two requests per prefix, at most
 * {@link #READS_MAX} prefixes; sizes are estimated from the keys read. Single use.
 */
final class PrefixScan {
    /** Maximum number of key reads. */
    static final int READS_MAX = 256;

    /** Keys sampled to estimate the size of a prefix. */
    private static final int SAMPLE = 8;

    /** After this many bytes read, only keys are read. */
    private static final long SAMPLE_BYTES_MAX = 16 << 20;

    /** Keys that are not contiguous are counted one by one, up to this many of a prefix. */
    private static final int LOOSE_MAX = 32;

    private final Backend backend;
    private final Executor executor;
    private final Map<Bytes, Tally> tallies = new LinkedHashMap<>();
    private int reads;
    private long bytesRead;
    private boolean complete = true;

    /**
     * Creates a scan of all keys.
     *
     * @param executor runs the scan after each answer
     */
    PrefixScan(Backend backend, Executor executor) {
        this.backend = backend;
        this.executor = executor;
    }

    /**
     * Result of a scan.
     *
     * @param complete false if there are more prefixes than it read
     */
    record Found(List<PrefixGroup> groups, boolean complete) {}

    /** Runs the scan. */
    CompletableFuture<Found> run() {
        return from(KeyText.FIRST)
                .thenApply(
                        end ->
                                new Found(
                                        tallies.entrySet().stream()
                                                .map(e -> e.getValue().group(e.getKey()))
                                                .toList(),
                                        complete));
    }

    private CompletableFuture<Void> from(Bytes cursor) {
        if (cursor == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (reads++ >= READS_MAX) {
            complete = false;
            return CompletableFuture.completedFuture(null);
        }
        boolean values = bytesRead < SAMPLE_BYTES_MAX;
        return backend.range(query(new KeySpan(cursor, null, false), SAMPLE, !values, false))
                .thenComposeAsync(
                        reply -> {
                            try {
                                return next(
                                        reply.answer().kvs().stream()
                                                .map(KeyValue::decode)
                                                .toList(),
                                        values);
                            } finally {
                                reply.held().close();
                            }
                        },
                        executor)
                .thenComposeAsync(this::from, executor);
    }

    /** Adds the keys read to the tallies; returns the next start key, null at the end. */
    private CompletableFuture<Bytes> next(List<KeyValue> read, boolean values) {
        if (read.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        read.forEach(kv -> bytesRead += kv.encoded().length());
        Bytes prefix = KeyPrefix.of(read.get(0).key());
        Tally tally = tallies.computeIfAbsent(prefix, p -> new Tally());
        boolean contiguous = KeyPrefix.isWhole(prefix);
        Bytes last = null;
        for (KeyValue kv : read) {
            Bytes key = kv.key();
            if (!KeyPrefix.of(key).equals(prefix)) {
                break;
            }
            last = key;
            if (values) {
                tally.sampled++;
                tally.sampledBytes += kv.encoded().length();
            }
            tally.keys += contiguous ? 0 : 1;
        }
        if (!contiguous && tally.keys < LOOSE_MAX) {
            return CompletableFuture.completedFuture(last.successor());
        }
        // A prefix without a third slash: all remaining keys are counted, deeper prefixes included.
        Bytes end = prefix.prefixEnd();
        Bytes begin = contiguous ? prefix : last.successor();
        return backend.range(query(new KeySpan(begin, end, false), 0, true, true))
                .thenApply(
                        reply -> {
                            tally.keys += count(reply);
                            return end;
                        });
    }

    private static long count(Reply<OpResult.Range> reply) {
        reply.held().close();
        return reply.answer().count();
    }

    /** A serializable read of the newest state. */
    static RangeQuery query(KeySpan span, long limit, boolean keysOnly, boolean countOnly) {
        return new RangeQuery(
                span,
                limit,
                0,
                SortOrder.NONE,
                SortTarget.KEY,
                keysOnly,
                countOnly,
                true,
                RevisionFilter.NONE);
    }

    private static final class Tally {
        private long keys;
        private long sampled;
        private long sampledBytes;

        private PrefixGroup group(Bytes prefix) {
            long bytes = sampled == 0 ? -1 : Math.round((double) sampledBytes / sampled * keys);
            return new PrefixGroup(prefix, keys, bytes);
        }
    }
}
