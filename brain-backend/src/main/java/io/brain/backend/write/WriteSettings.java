package io.brain.backend.write;

/**
 * Bounds of the write path.
 *
 * @param requestsMax requests between submission and answer; more are refused
 * @param requestBytesMax their bytes as they came over the wire
 * @param batchBytesMax bytes at which a batch is full; the engine's own bound applies too
 * @param txnChangesMax keys that one turn may change, or walk over
 * @param recordCacheBytes newest records kept in memory beside what is not yet published
 * @param logPartBytes size at which a log entry is cut
 * @param revisionEventBytesMax events of one revision that are handed on in memory; a heavier
 *     revision is "in the log only"
 * @param spanKeysInPlace stored keys of a span that a turn walks over on the sequencer; a wider
 *     span is read ahead
 * @param replacedBytesMax bytes of keys and KeyValues that one revision may replace or delete: a
 *     watcher with prev_kv is sent all of them at once; a single one may exceed it
 */
public record WriteSettings(
        int requestsMax,
        long requestBytesMax,
        long batchBytesMax,
        int txnChangesMax,
        long recordCacheBytes,
        int logPartBytes,
        long revisionEventBytesMax,
        int spanKeysInPlace,
        long replacedBytesMax) {
    /** Some three milliseconds. */
    private static final int SPAN_KEYS_IN_PLACE = 1000;

    private static final long REPLACED_BYTES_MAX = 64 << 20;

    /** What a server starts with. */
    public static final WriteSettings DEFAULTS =
            new WriteSettings(10_000, 256L << 20, 4 << 20, 100_000, 64 << 20, 512 << 10, 8 << 20);

    /** Bounds with the usual ones for spans and replaced bytes. */
    public WriteSettings(
            int requestsMax,
            long requestBytesMax,
            long batchBytesMax,
            int txnChangesMax,
            long recordCacheBytes,
            int logPartBytes,
            long revisionEventBytesMax) {
        this(
                requestsMax,
                requestBytesMax,
                batchBytesMax,
                txnChangesMax,
                recordCacheBytes,
                logPartBytes,
                revisionEventBytesMax,
                SPAN_KEYS_IN_PLACE,
                REPLACED_BYTES_MAX);
    }

    /**
     * The same, but with no more bytes of waiting requests, cached records and replaced KeyValues
     * of a revision than these.
     */
    public WriteSettings within(long requestBytes, long recordBytes, long replacedBytes) {
        return new WriteSettings(
                requestsMax,
                Math.min(requestBytesMax, requestBytes),
                batchBytesMax,
                txnChangesMax,
                Math.min(recordCacheBytes, recordBytes),
                logPartBytes,
                revisionEventBytesMax,
                spanKeysInPlace,
                Math.min(replacedBytesMax, replacedBytes));
    }

    /** The same with another number of keys that are walked over in place. */
    public WriteSettings withSpanKeysInPlace(int keys) {
        return new WriteSettings(
                requestsMax,
                requestBytesMax,
                batchBytesMax,
                txnChangesMax,
                recordCacheBytes,
                logPartBytes,
                revisionEventBytesMax,
                keys,
                replacedBytesMax);
    }

    /** The same with another bound on the replaced bytes of a revision. */
    public WriteSettings withReplacedBytesMax(long bytes) {
        return new WriteSettings(
                requestsMax,
                requestBytesMax,
                batchBytesMax,
                txnChangesMax,
                recordCacheBytes,
                logPartBytes,
                revisionEventBytesMax,
                spanKeysInPlace,
                bytes);
    }

    /** Checks that every bound lets something through. */
    public WriteSettings {
        if (requestsMax < 1
                || requestBytesMax < 1
                || batchBytesMax < 1
                || txnChangesMax < 1
                || recordCacheBytes < 0
                || logPartBytes < 1
                || revisionEventBytesMax < 0
                || spanKeysInPlace < 0
                || replacedBytesMax < 1) {
            throw new IllegalArgumentException("a bound of the write path lets nothing through");
        }
    }
}
