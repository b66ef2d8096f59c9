package io.brain.storage.testkit;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import java.util.Map;

/** A cursor over {@link MemoryContent}; each move is a lookup. */
final class MemoryCursor implements Cursor {
    private final MemoryContent content;
    private final long timestamp;
    private final KeyRange range;
    private final Direction direction;
    private final MemoryUse.Lease lease;

    /** The current pair; null before the first and after the last. */
    private Map.Entry<Bytes, Bytes> pair;

    private boolean moved;

    MemoryCursor(
            MemoryContent content,
            long timestamp,
            KeyRange range,
            Direction direction,
            MemoryUse.Lease lease) {
        this.content = content;
        this.timestamp = timestamp;
        this.range = range;
        this.direction = direction;
        this.lease = lease;
    }

    @Override
    public boolean next() {
        lease.check();
        if (!moved) {
            return moveTo(direction == Direction.FORWARD ? first() : last());
        }
        if (pair == null) {
            return false;
        }
        Bytes key = pair.getKey();
        return moveTo(direction == Direction.FORWARD ? atOrAfter(key.successor()) : before(key));
    }

    @Override
    public boolean seek(Bytes key) {
        lease.check();
        if (direction == Direction.FORWARD) {
            return moveTo(key.compareTo(range.start()) < 0 ? first() : atOrAfter(key));
        }
        boolean behindEnd = range.end() != null && key.compareTo(range.end()) >= 0;
        return moveTo(behindEnd ? last() : before(key.successor()));
    }

    @Override
    public Bytes key() {
        return current().getKey();
    }

    @Override
    public Bytes value() {
        return current().getValue();
    }

    @Override
    public void close() {
        lease.end();
    }

    private Map.Entry<Bytes, Bytes> current() {
        if (pair == null) {
            throw new IllegalStateException("cursor is not on a pair");
        }
        return pair;
    }

    private Map.Entry<Bytes, Bytes> first() {
        return atOrAfter(range.start());
    }

    private Map.Entry<Bytes, Bytes> last() {
        return before(range.end());
    }

    private Map.Entry<Bytes, Bytes> atOrAfter(Bytes key) {
        return content.ceiling(key, timestamp);
    }

    private Map.Entry<Bytes, Bytes> before(Bytes key) {
        return content.lower(key, timestamp);
    }

    private boolean moveTo(Map.Entry<Bytes, Bytes> target) {
        moved = true;
        pair = target != null && range.contains(target.getKey()) ? target : null;
        return pair != null;
    }
}
