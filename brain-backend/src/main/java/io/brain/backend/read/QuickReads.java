package io.brain.backend.read;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.read.ResponseBudget.Grant;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;

/**
 * Short reads on the caller's thread: waking another costs more than they do. Only where nothing
 * has to be waited for: the cache has the answer. Thread-safe.
 */
final class QuickReads {
    /** Longer answers are left to the readers. */
    private static final int LIMIT_MAX = 64;

    /** Heap bytes of an encoded KeyValue in an answer, besides its own. */
    private static final int ENTRY_BYTES = 64;

    private final RangeReader reader;
    private final ReadPoints points;
    private final BudgetTiers lanes;

    QuickReads(RangeReader reader, ReadPoints points, BudgetTiers lanes) {
        this.reader = reader;
        this.points = points;
        this.lanes = lanes;
    }

    /** The answer; null if it must be got in the ordinary way. */
    Reply<OpResult.Range> read(RangeQuery query) {
        if (!isShort(query) || query.revision() > 0) {
            return null;
        }
        ReadPoint point = query.serializable() ? points.own() : points.linearizableNow();
        OpResult.Range answer = point == null ? null : reader.readCached(query, point);
        if (answer == null) {
            return null;
        }
        Grant grant = lanes.firstNow(heapBytes(answer));
        return grant == null ? null : new Reply<>(answer, grant);
    }

    private static boolean isShort(RangeQuery query) {
        return query.span().single()
                || query.countOnly()
                || (query.limit() > 0 && query.limit() <= LIMIT_MAX);
    }

    private static long heapBytes(OpResult.Range answer) {
        long bytes = 0;
        for (Bytes kv : answer.kvs()) {
            bytes += ENTRY_BYTES + kv.length();
        }
        return bytes;
    }
}
