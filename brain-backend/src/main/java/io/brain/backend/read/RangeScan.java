package io.brain.backend.read;

import io.brain.backend.cache.CachedHeads;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.cache.HeadCache.CountedRange;
import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.Objects;

/**
 * The keys of a span that exist at a revision: blocks of the cache, and scans of the engine for the
 * gaps between them. {@link #countRest} skips keys that the cache has counted.
 */
final class RangeScan implements KeyIterator {
    private final ReadView view;
    private final HeadCache cache;
    private final KeySpan span;
    private final long revision;
    private final boolean values;

    /** Start of the next block or gap. */
    private Bytes from;

    /** Exclusive end of the scan; null: none. */
    private Bytes bound;

    private boolean ended;

    /** The current block; null if there is none, or a gap. */
    private CachedHeads heads;

    private int index;

    /** The current gap; null if there is none, or a block. */
    private GapScan gap;

    RangeScan(ReadView view, KeySpan span, long revision, boolean values) {
        this.view = view;
        this.cache = view.cache();
        this.span = span;
        this.revision = revision;
        this.values = values;
        this.from = span.key();
        this.bound = span.end();
    }

    @Override
    public boolean next() {
        while (!ended) {
            if (heads != null) {
                if (++index < heads.size() && isWithinBound(heads.key(index))) {
                    return true;
                }
                continueAt(heads.end());
            } else if (gap != null) {
                if (gap.next(bound)) {
                    return true;
                }
                continueAt(gap.end());
            } else if (isWithinBound(from)) {
                open();
            } else {
                ended = true;
            }
        }
        return false;
    }

    @Override
    public Bytes key() {
        return heads != null ? heads.key(index) : gap.scan().key();
    }

    @Override
    public long modRevision() {
        return heads != null ? heads.modRevision(index) : gap.scan().modRevision();
    }

    @Override
    public Bytes kv() {
        return heads != null ? heads.kv(index) : gap.scan().kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return heads != null ? kvs.append(heads.kv(index)) : gap.scan().addKv(kvs);
    }

    @Override
    public int addBareKv(PackedKvs kvs) {
        return heads != null ? KeyIterator.super.addBareKv(kvs) : gap.scan().addBareKv(kvs);
    }

    @Override
    public long countRest(ReadQuota quota) {
        if (ended) {
            return 0;
        }
        Bytes rest = heads != null || gap != null ? key().successor() : span.key();
        long count = 0;
        while (true) {
            CountedRange counted = cache.counted(rest, span.end(), revision);
            bound = counted == null ? span.end() : counted.from();
            if (!rest.equals(bound)) {
                count += KeyIterator.super.countRest(quota);
            }
            if (counted == null) {
                return count;
            }
            count += counted.keys();
            if (Objects.equals(counted.to(), span.end())) {
                return count;
            }
            rest = counted.to();
            continueAt(rest);
        }
    }

    @Override
    public void close() {
        continueAt(null);
    }

    private void open() {
        heads = cache.heads(from, revision);
        if (heads != null) {
            index = heads.indexFrom(from) - 1;
        } else {
            gap = new GapScan(view, new KeySpan(from, span.end(), false), revision, values);
        }
    }

    /** Leaves the current block or gap; {@code next} is null at the end of all keys. */
    private void continueAt(Bytes next) {
        heads = null;
        if (gap != null) {
            gap.close();
            gap = null;
        }
        from = next;
        ended = next == null;
    }

    private boolean isWithinBound(Bytes key) {
        return bound == null || key.compareTo(bound) < 0;
    }
}
