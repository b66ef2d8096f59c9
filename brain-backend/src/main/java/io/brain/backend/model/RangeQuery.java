package io.brain.backend.model;

/**
 * A range request, as in etcd.
 *
 * @param limit most keys to return; 0 or less: no limit
 * @param revision revision to read; 0 (or negative, outside a transaction): the newest
 * @param sortTarget order of keys; if {@code sortOrder} is {@link SortOrder#NONE} and this is not
 *     KEY, the first keys (limit + 1) are sorted ascending, as in etcd
 * @param keysOnly omits values, and leases (etcd 3.7) unless sorted by value
 * @param serializable may be read from this node's own newest state
 * @param counted false: if there are more keys than the limit, the answer's count is any number
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
        RevisionFilter filter,
        boolean counted) {
    /** A counted range. */
    public RangeQuery(
            KeySpan span,
            long limit,
            long revision,
            SortOrder sortOrder,
            SortTarget sortTarget,
            boolean keysOnly,
            boolean countOnly,
            boolean serializable,
            RevisionFilter filter) {
        this(
                span,
                limit,
                revision,
                sortOrder,
                sortTarget,
                keysOnly,
                countOnly,
                serializable,
                filter,
                true);
    }

    /** A sort order. */
    public enum SortOrder {
        NONE,
        ASCEND,
        DESCEND
    }

    /** A property to sort by. */
    public enum SortTarget {
        KEY,
        VERSION,
        CREATE,
        MOD,
        VALUE
    }

    /** Inclusive bounds of revisions, compared as signed numbers; 0: no bound. */
    public record RevisionFilter(long minMod, long maxMod, long minCreate, long maxCreate) {
        public static final RevisionFilter NONE = new RevisionFilter(0, 0, 0, 0);

        /** True if there are bounds. */
        public boolean isBounded() {
            return (minMod | maxMod | minCreate | maxCreate) != 0;
        }

        /** True if the revisions of a key are within the bounds. */
        public boolean accepts(long modRevision, long createRevision) {
            return (minMod == 0 || modRevision >= minMod)
                    && (maxMod == 0 || modRevision <= maxMod)
                    && (minCreate == 0 || createRevision >= minCreate)
                    && (maxCreate == 0 || createRevision <= maxCreate);
        }
    }

    /** A range at the newest revision, without options. */
    public static RangeQuery of(KeySpan span) {
        return at(span, 0, 0);
    }

    /** A range at a revision with a limit. */
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

    /** The request with another span, revision and limit. */
    public RangeQuery with(KeySpan otherSpan, long otherRevision, long otherLimit) {
        return with(otherSpan, otherRevision, otherLimit, counted);
    }

    /** The request with another span, revision and limit, counted or not. */
    public RangeQuery with(
            KeySpan otherSpan, long otherRevision, long otherLimit, boolean isCounted) {
        return new RangeQuery(
                otherSpan,
                otherLimit,
                otherRevision,
                sortOrder,
                sortTarget,
                keysOnly,
                countOnly,
                serializable,
                filter,
                isCounted);
    }
}
