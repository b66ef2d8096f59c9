package io.brain.storage.tikv;

import com.google.protobuf.ByteString;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.remote.OpenHandles;
import io.brain.storage.tikv.client.Wire;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The store as of a timestamp. */
final class TikvSnapshot implements Snapshot {
    private final Reader reader;
    private final ReadPoint point;
    private final OpenHandles handles;
    private final OpenReads reads;
    private final OpenHandles.Handle handle;

    TikvSnapshot(Reader reader, ReadPoint point, OpenHandles handles, OpenReads reads) {
        this.reader = reader;
        this.point = point;
        this.handles = handles;
        this.reads = reads;
        this.handle = handles.open("snapshot");
        reads.add(point.timestamp());
    }

    @Override
    public Bytes get(Bytes key) {
        handle.check();
        return reader.get(Wire.of(key), point);
    }

    @Override
    public List<Bytes> get(List<Bytes> keys) {
        handle.check();
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
        handle.check();
        return new TikvCursor(reader, point, range, direction, handles.open("cursor"));
    }

    @Override
    public void close() {
        if (handle.release()) {
            reads.remove(point.timestamp());
        }
    }
}
