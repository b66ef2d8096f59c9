package io.brain.backend.write;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a store must hold and tell after each revision, in the plainest way. */
final class Model implements KvView {
    /** Everything that one revision did. */
    record Revision(List<WatchEvent> events, List<LogEvent> log) {}

    private record Change(Bytes key, boolean delete, Bytes kv) {}

    private final TreeMap<Bytes, KeyValue> live = new TreeMap<>();
    private final Map<Bytes, VersionRecord> newest = new HashMap<>();
    private final Map<Bytes, Bytes> small = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private long revision = 1;
    private TreeMap<Bytes, KeyValue> before = new TreeMap<>();

    Map<Bytes, KeyValue> live() {
        return live;
    }

    Map<Bytes, VersionRecord> newest() {
        return newest;
    }

    Map<Bytes, Bytes> small() {
        return small;
    }

    long revision() {
        return revision;
    }

    /** Ends a revision: what was changed since the last call. */
    Revision commit() {
        revision++;
        List<WatchEvent> events = new ArrayList<>();
        List<LogEvent> log = new ArrayList<>();
        for (int sub = 0; sub < changes.size(); sub++) {
            Change change = changes.get(sub);
            events.add(event(change));
            log.add(logged(change, sub));
        }
        for (int sub = 0; sub < changes.size(); sub++) {
            Change change = changes.get(sub);
            newest.put(change.key, new VersionRecord(revision, sub, change.kv));
        }
        changes.clear();
        before = new TreeMap<>(live);
        return new Revision(events, log);
    }

    private WatchEvent event(Change change) {
        KeyValue prev = before.get(change.key);
        if (change.delete) {
            Bytes shown = KeyValueCodec.encodeDeleted(change.key, revision);
            Bytes prevKv = prev == null ? null : prev.encoded();
            return new WatchEvent(change.key, revision, true, shown, prevKv);
        }
        boolean created = KeyValue.decode(change.kv).createRevision() == revision;
        return new WatchEvent(
                change.key, revision, false, change.kv, created ? null : prev.encoded());
    }

    private LogEvent logged(Change change, int sub) {
        VersionRecord replaced = newest.get(change.key);
        boolean first = true;
        boolean last = true;
        for (int i = 0; i < changes.size(); i++) {
            first &= i >= sub || !changes.get(i).key.equals(change.key);
            last &= i <= sub || !changes.get(i).key.equals(change.key);
        }
        return new LogEvent(
                change.key,
                revision,
                sub,
                change.delete,
                replaced == null ? 0 : replaced.revision(),
                replaced != null && first ? replaced.encodedLength() : 0,
                last ? null : new VersionRecord(revision, sub, change.kv).encode());
    }

    @Override
    public long headerRevision() {
        return changes.isEmpty() ? revision : revision + 1;
    }

    @Override
    public KeyValue get(Bytes key) {
        return live.get(key);
    }

    @Override
    public List<Bytes> keys(KeySpan span) {
        return live.keySet().stream().filter(span::contains).toList();
    }

    private List<Bytes> attached(long lease) {
        return live.keySet().stream().filter(key -> live.get(key).lease() == lease).toList();
    }

    @Override
    public boolean deleteAttached(long lease) {
        attached(lease).forEach(this::delete);
        return true;
    }

    @Override
    public void put(Bytes key, Bytes value, long lease) {
        KeyValue old = live.get(key);
        long created = old == null ? revision + 1 : old.createRevision();
        long version = old == null ? 1 : old.version() + 1;
        Bytes kv = KeyValueCodec.encode(key, created, revision + 1, version, value, lease);
        changes.add(new Change(key, false, kv));
        live.put(key, KeyValue.decode(kv));
    }

    @Override
    public void delete(Bytes key) {
        changes.add(new Change(key, true, Bytes.EMPTY));
        live.remove(key);
    }

    @Override
    public boolean dropTombstone(Bytes key) {
        VersionRecord record = newest.get(key);
        boolean tombstone = record != null && record.isTombstone();
        if (tombstone) {
            newest.remove(key);
        }
        return tombstone;
    }

    @Override
    public Bytes record(Bytes internalKey) {
        return small.get(internalKey);
    }

    @Override
    public void putRecord(Bytes internalKey, Bytes value) {
        small.put(internalKey, value);
    }

    @Override
    public void deleteRecord(Bytes internalKey) {
        small.remove(internalKey);
    }
}
