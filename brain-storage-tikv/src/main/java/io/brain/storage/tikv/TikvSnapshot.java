package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tikv.shade.com.google.protobuf.ByteString;

/** The store as of a timestamp. */
final class TikvSnapshot implements Snapshot {
    private final Reader reader;
    private final ReadPoint point;
    private final Usage usage;
    private final Usage.Lease lease;

    TikvSnapshot(Reader reader, ReadPoint point, Usage usage) {
        this.reader = reader;
        this.point = point;
        this.usage = usage;
        this.lease = usage.lease("snapshot", point.timestamp());
    }

    @Override
    public Bytes get(Bytes key) {
        lease.check();
        return reader.get(Wire.of(key), point);
    }

    @Override
    public List<Bytes> get(List<Bytes> keys) {
        lease.check();
        if (keys.isEmpty()) {
            return List.of();
        }
        Map<Bytes, ByteString> asked = new HashMap<>();
        Set<ByteString> distinct = new LinkedHashSet<>();
        for (Bytes key : keys) {
            distinct.add(asked.computeIfAbsent(key, Wire::of));
        }
        Map<ByteString, Bytes> found = reader.get(List.copyOf(distinct), point);
        List<Bytes> values = new ArrayList<>(keys.size());
        keys.forEach(key -> values.add(found.get(asked.get(key))));
        return values;
    }

    @Override
    public Cursor cursor(KeyRange range, Cursor.Direction direction) {
        lease.check();
        return new TikvCursor(
                reader, point, range, direction, usage.lease("cursor", point.timestamp()));
    }

    @Override
    public void close() {
        lease.end();
    }
}
