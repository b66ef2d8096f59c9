package io.brain.admin.console;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
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

    private final KeyReader reader;
    private final Executor executor;
    private final Map<Bytes, Tally> tallies = new LinkedHashMap<>();
    private int reads;
    private long bytesRead;
    private boolean complete;

    /**
     * Creates a scan of all keys.
     *
     * @param executor runs the scan after each answer
     */
    PrefixScan(KeyReader reader, Executor executor) {
        this.reader = reader;
        this.executor = executor;
    }

    /**
     * Result of a scan.
     *
     * @param complete false if there are more prefixes than it read
     */
    record Result(List<Group> groups, boolean complete) {}

    /**
     * Keys with a common prefix.
     *
     * @param bytes estimated size of keys and values, from a sample; null without a sample
     */
    record Group(Bytes prefix, long keys, Long bytes) {}

    /** Runs the scan. */
    CompletableFuture<Result> run() {
        return from(KeyReader.FIRST).thenApply(done -> new Result(groups(), complete));
    }

    private List<Group> groups() {
        return tallies.entrySet().stream().map(e -> e.getValue().group(e.getKey())).toList();
    }

    private CompletableFuture<Void> from(Bytes start) {
        if (start == null || reads == READS_MAX) {
            complete = start == null;
            return CompletableFuture.completedFuture(null);
        }
        reads++;
        KeySpan span = new KeySpan(start, null, false);
        boolean sampled = bytesRead < SAMPLE_BYTES_MAX;
        CompletableFuture<OpResult.Range> read =
                sampled ? reader.values(span, 0, SAMPLE) : reader.keys(span, 0, SAMPLE);
        return read.thenComposeAsync(range -> next(range, sampled), executor)
                .thenComposeAsync(this::from, executor);
    }

    /** Adds the keys read to the tallies; returns the next start key, null at the end. */
    private CompletableFuture<Bytes> next(OpResult.Range range, boolean sampled) {
        List<KeyValue> read = range.kvs().stream().map(KeyValue::decode).toList();
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
            if (sampled) {
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
        return reader.count(new KeySpan(begin, end, false))
                .thenApply(
                        count -> {
                            tally.keys += count;
                            return end;
                        });
    }

    private static final class Tally {
        private long keys;
        private long sampled;
        private long sampledBytes;

        private Group group(Bytes prefix) {
            Long bytes = sampled == 0 ? null : Math.round((double) sampledBytes / sampled * keys);
            return new Group(prefix, keys, bytes);
        }
    }
}
