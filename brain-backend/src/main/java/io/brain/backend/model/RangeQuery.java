package io.brain.backend.model;

import java.util.Objects;

/**
 * A read, as etcd's RangeRequest means it.
 *
 * @param span the keys
 * @param limit most keys to return; 0 or less: no limit
 * @param revision state to read; 0 (or negative, outside a transaction): the newest
 * @param sortOrder order of the answer
 * @param sortTarget what is ordered by; with {@link SortOrder#NONE} and another target than KEY the
 *     keys that the limit let through (limit + 1) are sorted ascending, as in etcd
 * @param keysOnly leave values out (and leases: etcd 3.7), unless sorted by value, which keeps
 *     leases
 * @param countOnly only count
 * @param serializable may be answered from this node's own newest state
 * @param filter bounds on revisions
 */
public record RangeQuery(
        KeySpan span,
        long limit,
        long revision,
        SortOrder sortOrder,
        SortTarget sortTarget,
        boolean keysOnly,
        boolean countOnly,
        boolean serializable,
        RevisionFilter filter) {
    /** Order of an answer. */
    public enum SortOrder {
        NONE,
        ASCEND,
        DESCEND
    }

    /** What an answer is ordered by. */
    public enum SortTarget {
        KEY,
        VERSION,
        CREATE,
        MOD,
        VALUE
    }

    /**
     * Inclusive bounds on the revisions of returned keys, compared as signed numbers; 0 means none.
     */
    public record RevisionFilter(long minMod, long maxMod, long minCreate, long maxCreate) {
        /** No bounds. */
        public static final RevisionFilter NONE = new RevisionFilter(0, 0, 0, 0);

        /** True if a key of these revisions passes. */
        public boolean accepts(long modRevision, long createRevision) {
            return (minMod == 0 || modRevision >= minMod)
                    && (maxMod == 0 || modRevision <= maxMod)
                    && (minCreate == 0 || createRevision >= minCreate)
                    && (maxCreate == 0 || createRevision <= maxCreate);
        }

        /** Written out, as every Range asks: at the first one Java would make 16 classes for it. */
        @Override
        public boolean equals(Object other) {
            return other instanceof RevisionFilter that
                    && minMod == that.minMod
                    && maxMod == that.maxMod
                    && minCreate == that.minCreate
                    && maxCreate == that.maxCreate;
        }

        @Override
        public int hashCode() {
            return Objects.hash(minMod, maxMod, minCreate, maxCreate);
        }
    }

    /** A plain read of the newest state: no limit, order or filter. */
    public static RangeQuery of(KeySpan span) {
        return at(span, 0, 0);
    }

    /** A plain read at a revision with a limit. */
    public static RangeQuery at(KeySpan span, long revision, long limit) {
        return new RangeQuery(
                span,
                limit,
                revision,
                SortOrder.NONE,
                SortTarget.KEY,
                false,
                false,
                false,
                RevisionFilter.NONE);
    }

    /** The same without values. */
    public RangeQuery withoutValues() {
        return new RangeQuery(
                span,
                limit,
                revision,
                sortOrder,
                sortTarget,
                true,
                countOnly,
                serializable,
                filter);
    }

    /** The same of other keys, at another revision, with another limit. */
    public RangeQuery with(KeySpan otherSpan, long otherRevision, long otherLimit) {
        return new RangeQuery(
                otherSpan,
                otherLimit,
                otherRevision,
                sortOrder,
                sortTarget,
                keysOnly,
                countOnly,
                serializable,
                filter);
    }
}
