package io.brain.storage.tikv;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.KvPair;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.remote.OpenHandles;
import io.brain.storage.tikv.client.Wire;
import java.util.List;

/** A scan in pages of growing size. Holds one page in memory. */
final class TikvCursor implements Cursor {
    private static final int FIRST_PAGE = 32;

    /** A search for the last pair before a key must not go on to others, behind deleted ones. */
    private static final int FIRST_PAGE_REVERSE = 1;

    private static final int PAGE_MAX = 1024;
    private static final long PAGE_BYTES = 1 << 20;

    private final Reader reader;
    private final ReadPoint point;
    private final OpenHandles.Handle handle;
    private final boolean forward;

    /** Null if the range is empty. */
    private final Reader.Span range;

    private List<KvPair> pairs = List.of();

    /** Index of the current pair in the page; the page size when a new page is due. */
    private int at = -1;

    /** Range after the page; null at the end. */
    private Reader.Span rest;

    private int limit;
    private boolean onPair;

    TikvCursor(
            Reader reader,
            ReadPoint point,
            KeyRange range,
            Direction direction,
            OpenHandles.Handle handle) {
        this.reader = reader;
        this.point = point;
        this.handle = handle;
        this.forward = direction == Direction.FORWARD;
        this.limit = firstPage();
        this.range =
                range.isEmpty()
                        ? null
                        : new Reader.Span(
                                Wire.of(range.start()),
                                range.end() == null ? null : Wire.of(range.end()));
        this.rest = this.range;
    }

    @Override
    public boolean next() {
        handle.check();
        at++;
        return arrive();
    }

    @Override
    public boolean seek(Bytes target) {
        handle.check();
        ByteString key = Wire.of(target);
        if (range == null) {
            return false;
        }
        if (!seekInPage(key)) {
            pairs = List.of();
            at = 0;
            rest = forward ? from(key) : upTo(key);
            limit = firstPage();
        }
        return arrive();
    }

    private int firstPage() {
        return forward ? FIRST_PAGE : FIRST_PAGE_REVERSE;
    }

    /** Moves to the first pair at or after the key; false if it may be outside the page. */
    private boolean seekInPage(ByteString key) {
        if (pairs.isEmpty()
                || behind(pairs.get(0).getKey(), key)
                || behind(key, pairs.get(pairs.size() - 1).getKey())) {
            return false;
        }
        int low = 0;
        int high = pairs.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (behind(key, pairs.get(middle).getKey())) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        at = low;
        return true;
    }

    /** True if {@code first} follows {@code second} in scan direction. */
    private boolean behind(ByteString first, ByteString second) {
        int order = Wire.compare(first, second);
        return forward ? order > 0 : order < 0;
    }

    private Reader.Span from(ByteString key) {
        if (Wire.compare(key, range.start()) <= 0) {
            return range;
        }
        boolean beyond = range.end() != null && Wire.compare(key, range.end()) >= 0;
        return beyond ? null : new Reader.Span(key, range.end());
    }

    private Reader.Span upTo(ByteString key) {
        if (range.end() != null && Wire.compare(key, range.end()) >= 0) {
            return range;
        }
        boolean beyond = Wire.compare(key, range.start()) < 0;
        ByteString behindKey = key.concat(ByteString.copyFrom(new byte[1]));
        return beyond ? null : new Reader.Span(range.start(), behindKey);
    }

    private boolean arrive() {
        onPair = false; // also if the read fails
        while (at >= pairs.size()) {
            if (rest == null) {
                at = pairs.size();
                return false;
            }
            Reader.Page page = reader.scan(rest, forward, limit, point);
            limit = nextLimit(page);
            pairs = page.pairs();
            rest = page.rest();
            at = 0;
        }
        onPair = true;
        return true;
    }

    /** Four times as many pairs, limited by the bytes of a page at the average pair size. */
    private static int nextLimit(Reader.Page page) {
        List<KvPair> seen = page.pairs();
        if (seen.isEmpty()) {
            return page.limit();
        }
        long bytes = 0;
        for (KvPair pair : seen) {
            bytes += pair.getKey().size() + pair.getValue().size();
        }
        long fit = Math.max(1, PAGE_BYTES * seen.size() / bytes);
        return (int) Math.min(Math.min(fit, PAGE_MAX), page.limit() * 4L);
    }

    @Override
    public Bytes key() {
        return Wire.of(pair().getKey());
    }

    @Override
    public Bytes value() {
        return Wire.of(pair().getValue());
    }

    @Override
    public int valueLength() {
        return pair().getValue().size();
    }

    @Override
    public int copyValue(byte[] target, int at) {
        ByteString value = pair().getValue();
        value.substring(0, Math.min(target.length - at, value.size())).copyTo(target, at);
        return value.size();
    }

    @Override
    public void close() {
        onPair = false;
        pairs = List.of();
        handle.release();
    }

    private KvPair pair() {
        if (!onPair) {
            throw new IllegalStateException("cursor is not on a pair");
        }
        return pairs.get(at);
    }
}
