package io.brain.backend.read;

import io.brain.backend.cache.CachedHeads;
import io.brain.backend.cache.CountedRange;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.Objects;

/**
 * The keys of a span that exist at a revision: blocks that the cache has, and walks of the engine
 * over the gaps between them. Where only a number is asked for it leaves out what is counted.
 */
final class RangeScan implements KeyIterator {
    private final ReadView view;
    private final HeadCache cache;
    private final KeySpan span;
    private final long revision;
    private final boolean values;

    /** Where the walk goes on behind the current piece. */
    private Bytes from;

    /** The first key that it does not come to; null: there is none. */
    private Bytes bound;

    private boolean over;

    /** The current piece: one of the two, or none. */
    private CachedHeads heads;

    private GapScan gap;
    private int index;

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
        while (!over) {
            if (heads != null) {
                if (++index < heads.size() && isWithinBound(heads.key(index))) {
                    return true;
                }
                leavePiece(heads.end());
            } else if (gap != null) {
                if (gap.next(bound)) {
                    return true;
                }
                leavePiece(gap.end());
            } else if (isWithinBound(from)) {
                enterPiece();
            } else {
                over = true;
            }
        }
        return false;
    }

    @Override
    public Bytes key() {
        return heads != null ? heads.key(index) : gap.walk().key();
    }

    @Override
    public long modRevision() {
        return heads != null ? heads.modRevision(index) : gap.walk().modRevision();
    }

    @Override
    public Bytes kv() {
        return heads != null ? heads.kv(index) : gap.walk().kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return heads != null ? kvs.append(heads.kv(index)) : gap.walk().addKv(kvs);
    }

    @Override
    public int addBareKv(PackedKvs kvs) {
        if (heads == null) {
            return gap.walk().addBareKv(kvs);
        }
        Bytes kv = heads.kv(index);
        int bare = KeyValueCodec.bareLength(kv.array(), 0, kv.length(), true);
        return bare >= 0 ? kvs.append(kv.array(), 0, bare) : KeyIterator.super.addBareKv(kvs);
    }

    @Override
    public long countRest(ReadQuota meter) {
        if (over) {
            return 0;
        }
        Bytes rest = heads != null || gap != null ? key().successor() : span.key();
        long count = 0;
        while (true) {
            CountedRange known = cache.counted(rest, span.end(), revision);
            bound = known == null ? span.end() : known.from();
            if (!rest.equals(bound)) {
                while (next()) {
                    meter.passKey();
                    count++;
                }
            }
            if (known == null) {
                return count;
            }
            count += known.keys();
            if (Objects.equals(known.to(), span.end())) {
                return count;
            }
            rest = known.to();
            leavePiece(rest);
        }
    }

    @Override
    public void close() {
        leavePiece(null);
    }

    private void enterPiece() {
        heads = cache.heads(from, revision);
        if (heads != null) {
            index = heads.from(from) - 1;
        } else {
            gap = new GapScan(view, new KeySpan(from, span.end(), false), revision, values);
        }
    }

    /** Goes on at another key; null: there is none. */
    private void leavePiece(Bytes next) {
        heads = null;
        if (gap != null) {
            gap.close();
            gap = null;
        }
        from = next;
        over = next == null;
    }

    private boolean isWithinBound(Bytes key) {
        return bound == null || key.compareTo(bound) < 0;
    }
}
