package io.brain.backend.read;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.read.ResponseBudget.Grant;
import io.brain.backend.store.ReadPoint;

/**
 * Short reads on the caller's thread, which cost less than waking another one. Only if the cache
 * has the answer and nothing needs to wait. Thread-safe.
 */
final class QuickReads {
    /** Limit of keys in an answer. */
    private static final int LIMIT_MAX = 64;

    private final RangeReader reader;
    private final ReadPoints points;
    private final BudgetTiers budget;

    QuickReads(RangeReader reader, ReadPoints points, BudgetTiers budget) {
        this.reader = reader;
        this.points = points;
        this.budget = budget;
    }

    /** The answer; null if the read must take the ordinary path. */
    Reply<OpResult.Range> read(RangeQuery query, Tenant tenant) {
        if (!isShort(query) || query.revision() > 0 || budget.first(tenant) != budget.small()) {
            return null;
        }
        ReadPoint point = query.serializable() ? points.own() : points.linearizableNow();
        if (point == null) {
            return null;
        }
        try {
            QuickQuota quota = new QuickQuota();
            OpResult.Range answer = reader.readCached(query, point, quota);
            Grant grant = budget.small().tryReserve(tenant, quota.bytes);
            return grant == null ? null : new Reply<>(answer, grant);
        } catch (ReadQuota.ExceededException miss) {
            return null;
        }
    }

    private static boolean isShort(RangeQuery query) {
        return query.span().single()
                || query.countOnly()
                || (query.limit() > 0 && query.limit() <= LIMIT_MAX);
    }

    /** Ends reads of many keys or bytes. */
    private static final class QuickQuota implements ReadQuota {
        private static final int KEYS_MAX = 512;
        private static final long BYTES_MAX = 64 << 10;
        private int keys;
        private long bytes;

        @Override
        public void hold(long more) {
            bytes += more;
            if (bytes > BYTES_MAX) {
                throw new ExceededException();
            }
        }

        @Override
        public void passKey() {
            if (++keys > KEYS_MAX) {
                throw new ExceededException();
            }
        }
    }
}
