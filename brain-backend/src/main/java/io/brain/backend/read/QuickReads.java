package io.brain.backend.read;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.read.ResponseBudget.Grant;
import io.brain.backend.revision.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.NotInMemory;
import io.brain.storage.StorageException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads of one key on the caller's thread: waking another costs more than they do. Only where
 * nothing has to be waited for, the engine's files least of all: where the key was read lately, or
 * the engine has it in memory. While most keys are not in memory it seldom tries. Thread-safe.
 */
final class QuickReads {
    /** What a miss counts, and a hit makes up for one of; above the limit few reads are tried. */
    private static final int MISS = 8;

    private static final int MISSES_LIMIT = 64 * MISS;
    private static final int MISSES_MAX = 2 * MISSES_LIMIT;
    private static final int SELDOM = 32;

    /** Heap bytes of an encoded KeyValue in an answer, besides its own. */
    private static final int ENTRY_BYTES = 64;

    private final RangeReader reader;
    private final ReadPoints points;
    private final ReadLanes lanes;
    private final AtomicInteger misses = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();

    QuickReads(RangeReader reader, ReadPoints points, ReadLanes lanes) {
        this.reader = reader;
        this.points = points;
        this.lanes = lanes;
    }

    /** The answer; null if it must be got in the ordinary way. */
    Reply<OpResult.Range> read(RangeQuery query) {
        if (!query.span().single() || query.revision() > 0) {
            return null;
        }
        ReadPoint point = query.serializable() ? points.own() : points.linearizableNow();
        if (point == null) {
            return null;
        }
        OpResult.Range known = reader.readKnown(query, point);
        if (known == null && !isWorthIt()) {
            return null;
        }
        OpResult.Range answer = known == null ? readInMemory(query, point) : known;
        if (answer == null) {
            return null;
        }
        Grant grant = lanes.firstNow(heapBytes(answer));
        return grant == null ? null : new Reply<>(answer, grant);
    }

    /** From the engine; null if it is not in memory. */
    private OpResult.Range readInMemory(RangeQuery query, ReadPoint point) {
        OpResult.Range answer;
        try {
            answer = reader.readInMemory(query, point);
        } catch (StorageException failure) {
            return null; // for the ordinary way to tell of
        } catch (NotInMemory miss) {
            misses.getAndUpdate(count -> Math.min(count + MISS, MISSES_MAX));
            return null;
        }
        if (misses.get() > 0) {
            misses.getAndUpdate(count -> Math.max(count - 1, 0));
        }
        return answer;
    }

    private boolean isWorthIt() {
        return misses.get() <= MISSES_LIMIT || skipped.incrementAndGet() % SELDOM == 0;
    }

    private static long heapBytes(OpResult.Range answer) {
        long bytes = 0;
        for (Bytes kv : answer.kvs()) {
            bytes += ENTRY_BYTES + kv.length();
        }
        return bytes;
    }
}
