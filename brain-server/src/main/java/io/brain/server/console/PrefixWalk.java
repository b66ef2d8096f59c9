package io.brain.server.console;

import io.brain.backend.Backend;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.read.Reply;
import io.brain.backend.traffic.KeyPrefix;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Finds the prefixes that there are, as a client could: reads the next few keys, takes the first
 * one's prefix, has its keys counted, goes on behind them. Two requests per prefix, at most {@link
 * #LOOKS_MAX} prefixes; bytes are guessed from the keys that were read. Used once.
 */
final class PrefixWalk {
    /** Most reads of keys. */
    static final int LOOKS_MAX = 256;

    /** Keys that a prefix' bytes are guessed from. */
    private static final int SAMPLE = 8;

    /** Bytes that may be read; then keys alone are. */
    private static final long SAMPLE_BYTES_MAX = 16 << 20;

    /** Keys that do not lie together are counted one by one, up to so many of a prefix. */
    private static final int LOOSE_MAX = 32;

    private final Backend backend;
    private final Executor executor;
    private final Map<Bytes, Tally> tallies = new LinkedHashMap<>();
    private int looks;
    private long bytesRead;
    private boolean complete = true;

    /**
     * A walk through all keys.
     *
     * @param executor where it goes on after each answer
     */
    PrefixWalk(Backend backend, Executor executor) {
        this.backend = backend;
        this.executor = executor;
    }

    /**
     * What a walk found.
     *
     * @param complete false if there are more prefixes than it looked at
     */
    record Found(List<PrefixGroup> groups, boolean complete) {}

    /** Walks. */
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
        if (looks++ >= LOOKS_MAX) {
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

    /** Takes in what was read; ends with where to go on, null if there is no more. */
    private CompletableFuture<Bytes> next(List<KeyValue> read, boolean values) {
        if (read.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        read.forEach(kv -> bytesRead += kv.encoded().length());
        Bytes prefix = KeyPrefix.of(read.get(0).key());
        Tally tally = tallies.computeIfAbsent(prefix, p -> new Tally());
        boolean together = KeyPrefix.isWhole(prefix);
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
            tally.keys += together ? 0 : 1;
        }
        if (!together && tally.keys < LOOSE_MAX) {
            return CompletableFuture.completedFuture(last.successor());
        }
        // Of a prefix without a third slash all that is left is counted, deeper ones with it.
        Bytes end = prefix.prefixEnd();
        Bytes begin = together ? prefix : last.successor();
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

    /** A read of this node's own newest state. */
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
