package io.brain.conformance.linear;

import com.google.protobuf.ByteString;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The store as it was at every revision, made from the log of its events. */
final class Versions {

    /** A tombstone is a value whose version is 0. */
    private final NavigableMap<ByteString, NavigableMap<Long, KeyValue>> versions =
            new TreeMap<>(ByteString.unsignedLexicographicalComparator());

    Versions(EventLog log) {
        log.all().forEach((revision, events) -> events.forEach(event -> add(revision, event)));
    }

    private void add(long revision, Event event) {
        KeyValue value =
                event.getType() == Event.EventType.PUT
                        ? event.getKv()
                        : KeyValue.getDefaultInstance();
        versions.computeIfAbsent(event.getKv().getKey(), key -> new TreeMap<>())
                .put(revision, value);
    }

    /** The keys of a range, as etcd names it, that lived at this revision. A fresh map. */
    NavigableMap<ByteString, KeyValue> at(long revision, ByteString key, ByteString end) {
        NavigableMap<ByteString, KeyValue> found = new TreeMap<>(versions.comparator());
        Keys.range(versions, key, end)
                .forEach(
                        (name, history) -> {
                            Map.Entry<Long, KeyValue> newest = history.floorEntry(revision);
                            if (newest != null && newest.getValue().getVersion() > 0) {
                                found.put(name, newest.getValue());
                            }
                        });
        return found;
    }

    /** All keys that lived at this revision. */
    List<KeyValue> all(long revision) {
        return List.copyOf(at(revision, Keys.ZERO, Keys.ZERO).values());
    }
}
