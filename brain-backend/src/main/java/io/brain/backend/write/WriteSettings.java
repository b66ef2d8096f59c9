package io.brain.backend.write;

import io.brain.backend.model.TtlRules;
import java.util.function.Supplier;

/**
 * Limits of the write path.
 *
 * @param requestsMax pending requests; more are refused
 * @param requestBytesMax their bytes on the wire
 * @param batchBytesMax size of a full batch; the engine may have a lower limit
 * @param txnChangesMax keys that a transaction may change, or scan
 * @param recordCacheBytes size of the cache of heads
 * @param logPartBytes size at which a log entry is split
 * @param revisionEventBytesMax size of a revision's events in memory; larger ones are only in the
 *     log
 * @param replacedBytesMax keys and values that one revision may replace, because a watcher with
 *     prev_kv gets all of them together; a single one may exceed it
 * @param ttlRules the current rules of expiry; read by several threads, must not block
 */
public record WriteSettings(
        int requestsMax,
        long requestBytesMax,
        long batchBytesMax,
        int txnChangesMax,
        long recordCacheBytes,
        int logPartBytes,
        long revisionEventBytesMax,
        long replacedBytesMax,
        Supplier<TtlRules> ttlRules) {
    /** The settings of a server with a large heap. */
    public static final WriteSettings DEFAULTS =
            new WriteSettings(
                    20_000, 256L << 20, 4 << 20, 100_000, 64 << 20, 512 << 10, 8 << 20, 64 << 20);

    /** Checks the limits. */
    public WriteSettings {
        if (requestsMax < 1
                || requestBytesMax < 1
                || batchBytesMax < 1
                || txnChangesMax < 1
                || recordCacheBytes < 0
                || logPartBytes < 1
                || revisionEventBytesMax < 0
                || replacedBytesMax < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }

    /** True if one revision may replace so many versions of so many bytes together. */
    boolean fits(long keys, long replacedBytes) {
        return keys <= txnChangesMax && (keys == 1 || replacedBytes <= replacedBytesMax);
    }

    /** Bytes of changes from which on a delete of a range is wide. */
    long wideBytes() {
        return batchBytesMax / 4;
    }

    /** Bytes of a part of what a wide delete replaces: other writes wait for one at a time. */
    long partBytes() {
        return batchBytesMax / 16;
    }

    /** Settings without rules of expiry. */
    public WriteSettings(
            int requestsMax,
            long requestBytesMax,
            long batchBytesMax,
            int txnChangesMax,
            long recordCacheBytes,
            int logPartBytes,
            long revisionEventBytesMax,
            long replacedBytesMax) {
        this(
                requestsMax,
                requestBytesMax,
                batchBytesMax,
                txnChangesMax,
                recordCacheBytes,
                logPartBytes,
                revisionEventBytesMax,
                replacedBytesMax,
                () -> TtlRules.NONE);
    }

    /** These settings with rules of expiry. */
    public WriteSettings withTtlRules(Supplier<TtlRules> rules) {
        return new WriteSettings(
                requestsMax,
                requestBytesMax,
                batchBytesMax,
                txnChangesMax,
                recordCacheBytes,
                logPartBytes,
                revisionEventBytesMax,
                replacedBytesMax,
                rules);
    }

    /** These settings with lower limits of pending requests, cached heads and replaced bytes. */
    public WriteSettings within(long requestBytes, long recordBytes, long replacedBytes) {
        return new WriteSettings(
                requestsMax,
                Math.min(requestBytesMax, requestBytes),
                batchBytesMax,
                txnChangesMax,
                Math.min(recordCacheBytes, recordBytes),
                logPartBytes,
                revisionEventBytesMax,
                Math.min(replacedBytesMax, replacedBytes),
                ttlRules);
    }
}
