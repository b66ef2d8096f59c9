package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.SortedMap;

/** What one turn sees of the state before it: the tip, and wide spans that were read ahead. */
final class PendingView {
    private final PendingState tip;
    private final List<SpanScan> walks;
    private final int inPlaceMax;

    /**
     * The tip as it is.
     *
     * @param walks made for the turn's request; may be empty
     * @param inPlaceMax keys of any other span that may be walked over
     */
    PendingView(PendingState tip, List<SpanScan> walks, int inPlaceMax) {
        this.tip = tip;
        this.walks = walks;
        this.inPlaceMax = inPlaceMax;
    }

    /** The newest record of a key; never null. */
    HeadRecord get(Bytes key) {
        HeadRecord found = find(key);
        return found == null ? tip.get(key) : found;
    }

    /** The newest record of a key if it is in memory; else null. */
    HeadRecord known(Bytes key) {
        HeadRecord found = find(key);
        return found == null ? tip.known(key) : found;
    }

    /** What was read ahead of a live key; null if nothing was, or it was changed since. */
    private HeadRecord find(Bytes key) {
        for (SpanScan walk : walks) {
            HeadRecord found = walk.find(key);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Reads the records of keys, of which nothing was read ahead, in one round. */
    void prefetch(List<Bytes> keys) {
        for (Bytes key : keys) {
            if (find(key) == null) {
                tip.name(key);
            }
        }
        tip.prefetchNamed();
    }

    /** Existing keys of a span; as {@link PendingState#keys}. */
    List<Bytes> keys(KeySpan span, SortedMap<Bytes, HeadRecord> own, int max) {
        for (SpanScan walk : walks) {
            if (walk.span().equals(span)) {
                return tip.keys(walk, own, max);
            }
        }
        return tip.keys(span, own, max, inPlaceMax);
    }

    /** A small record; null if it is absent. */
    Bytes small(Bytes internalKey) {
        return tip.small(internalKey);
    }

    /** Keys with an attachment record; as {@link PendingState#attachments}. */
    List<Bytes> attachments(long lease, SortedMap<Bytes, Bytes> own, int max) {
        return tip.attachments(lease, own, max);
    }
}
