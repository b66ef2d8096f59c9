package io.brain.storage.testkit;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;

/** {@link MemoryContent} as of one timestamp. */
final class MemorySnapshot implements Snapshot {
    private final MemoryContent content;
    private final long timestamp;
    private final MemoryUse use;
    private final MemoryUse.Lease lease;

    MemorySnapshot(MemoryContent content, long timestamp, MemoryUse use, MemoryUse.Lease lease) {
        this.content = content;
        this.timestamp = timestamp;
        this.use = use;
        this.lease = lease;
    }

    @Override
    public Bytes get(Bytes key) {
        lease.check();
        return content.get(key, timestamp);
    }

    @Override
    public List<Bytes> get(List<Bytes> keys) {
        lease.check();
        List<Bytes> values = new ArrayList<>(keys.size());
        keys.forEach(key -> values.add(content.get(key, timestamp)));
        return values;
    }

    @Override
    public Cursor cursor(KeyRange range, Cursor.Direction direction) {
        lease.check();
        return new MemoryCursor(content, timestamp, range, direction, use.lease("cursor"));
    }

    @Override
    public void close() {
        lease.end();
    }
}
