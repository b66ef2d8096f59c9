package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.SortedMap;

/** What one turn sees of the state before it: the tip, and wide spans that were read ahead. */
final class TurnView {
    private final Tip tip;
    private final List<SpanWalk> walks;
    private final int inPlaceMax;

    /**
     * The tip as it is.
     *
     * @param walks made for the turn's request; may be empty
     * @param inPlaceMax keys of any other span that may be walked over
     */
    TurnView(Tip tip, List<SpanWalk> walks, int inPlaceMax) {
        this.tip = tip;
        this.walks = walks;
        this.inPlaceMax = inPlaceMax;
    }

    /** The newest record of a key; never null. */
    TipRecord get(Bytes key) {
        TipRecord found = find(key);
        return found == null ? tip.get(key) : found;
    }

    /** The newest record of a key if it is in memory; else null. */
    TipRecord known(Bytes key) {
        TipRecord found = find(key);
        return found == null ? tip.known(key) : found;
    }

    /** What was read ahead of a live key; null if nothing was, or it was changed since. */
    private TipRecord find(Bytes key) {
        for (SpanWalk walk : walks) {
            TipRecord found = walk.find(key);
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

    /** Existing keys of a span; as {@link Tip#keys}. */
    List<Bytes> keys(KeySpan span, SortedMap<Bytes, TipRecord> own, int max) {
        for (SpanWalk walk : walks) {
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

    /** Keys with an attachment record; as {@link Tip#attachments}. */
    List<Bytes> attachments(long lease, SortedMap<Bytes, Bytes> own, int max) {
        return tip.attachments(lease, own, max);
    }
}
