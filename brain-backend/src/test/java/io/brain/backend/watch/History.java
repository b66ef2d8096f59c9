package io.brain.backend.watch;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * A small write path: changes go into the store as the stored format says, and to a listener as the
 * publisher tells them; it also remembers every event, which is what watchers are measured by.
 */
final class History {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Map<Bytes, Newest> newest = new HashMap<>();
    private final TreeMap<Long, List<WatchEvent>> events = new TreeMap<>();
    private final TreeMap<Long, List<LogEvent>> logged = new TreeMap<>();
    private final Revisions revisions;
    private int partEventsMax = 3;
    private int ringEventsMax = Integer.MAX_VALUE;
    private CommitListener listener;

    History(KvStorage storage, KeyCoder coder) {
        this.storage = storage;
        this.coder = coder;
        this.revisions = new Revisions(new ReadPoint(1, storage.timestamp()), -1);
    }

    /** A key's newest record; a null kv is a tombstone. */
    private record Newest(long revision, int sub, Bytes kv) {
        Bytes encode() {
            return new VersionRecord(revision, sub, kv == null ? Bytes.EMPTY : kv).encode();
        }
    }

    /** A change of one key; a null value deletes it. */
    record Change(Bytes key, Bytes value) {
        static Change put(String key, String value) {
            return new Change(Bytes.utf8(key), Bytes.utf8(value));
        }

        static Change delete(String key) {
            return new Change(Bytes.utf8(key), null);
        }
    }

    /** Whom commits are told from now on; null for nobody. */
    void tell(CommitListener commitListener) {
        listener = commitListener;
    }

    /** Cuts log parts at this many events. */
    void partEventsMax(int max) {
        partEventsMax = max;
    }

    /** Marks revisions with more events than this "in the log only". */
    void ringEventsMax(int max) {
        ringEventsMax = max;
    }

    Revisions revisions() {
        return revisions;
    }

    long revision() {
        return revisions.committed().revision();
    }

    /** Every event there ever was, by revision. */
    NavigableMap<Long, List<WatchEvent>> events() {
        return events;
    }

    long put(String key, String value) {
        return commit(Change.put(key, value));
    }

    long delete(String key) {
        return commit(Change.delete(key));
    }

    /** Commits one transaction; answers its revision. */
    long commit(Change... changes) {
        commitBatch(List.of(List.of(changes)));
        return revision();
    }

    /** Commits transactions in one batch; deletes of missing keys change nothing. */
    void commitBatch(List<List<Change>> transactions) {
        Map<Bytes, Bytes> versions = new HashMap<>();
        List<LogEvent> log = new ArrayList<>();
        long revision = revision();
        List<RevisionEvents> published = new ArrayList<>();
        for (List<Change> changes : transactions) {
            List<WatchEvent> made = execute(changes, revision + 1, versions, log);
            if (!made.isEmpty()) {
                revision++;
                events.put(revision, made);
                boolean tooMany = made.size() > ringEventsMax;
                published.add(new RevisionEvents(revision, tooMany ? List.of() : made, tooMany));
            }
        }
        if (published.isEmpty()) {
            return;
        }
        WriteBatch.Builder batch = WriteBatch.builder();
        versions.forEach(batch::put);
        writeLog(log, batch);
        long timestamp = commit(batch);
        for (RevisionEvents told : published) {
            if (listener != null) {
                listener.events(told);
            }
        }
        ReadPoint point = new ReadPoint(revision, timestamp);
        revisions.publish(point);
    }

    /** Raises the floor, durably and visibly; deletes nothing yet. */
    void raiseFloor(long floor) {
        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(floor, -1).encode()));
        revisions.raiseFloor(floor);
    }

    /** Deletes what the floor allows, as the compactor does. */
    void sweep() {
        sweep(0);
    }

    /** The same, but the log keeps some revisions below the floor. */
    void sweep(long logKept) {
        long floor = revisions.floor();
        WriteBatch.Builder batch = WriteBatch.builder();
        Set<Bytes> gone = new LinkedHashSet<>();
        List<LogEvent> dead = new ArrayList<>();
        for (List<LogEvent> ofRevision : logged.headMap(floor, true).values()) {
            for (LogEvent event : ofRevision) {
                if (event.replacedRevision() != 0) {
                    gone.add(coder.historyKey(event.key(), event.replacedRevision()));
                }
                if (event.delete() && event.inline() == null && event.revision() < floor) {
                    dead.add(event);
                }
            }
        }
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(coder.log(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                if (LogEntry.decode(cursor.value()).lastRevision() < floor - logKept) {
                    gone.add(cursor.key());
                }
            }
        }
        for (LogEvent tombstone : dead) {
            if (newest.get(tombstone.key()).revision == tombstone.revision()) {
                gone.add(coder.headKey(tombstone.key()));
            }
        }
        gone.forEach(batch::delete);
        if (!gone.isEmpty()) {
            commit(batch);
        }
    }

    private List<WatchEvent> execute(
            List<Change> changes, long revision, Map<Bytes, Bytes> versions, List<LogEvent> log) {
        List<WatchEvent> made = new ArrayList<>();
        List<LogEvent> mine = new ArrayList<>();
        Map<Bytes, Newest> before = new HashMap<>();
        Map<Bytes, VersionRecord> records = new HashMap<>();
        Map<Bytes, Integer> lastOf = new HashMap<>();
        for (Change change : changes) {
            Newest now = newest.get(change.key());
            boolean exists = now != null && now.kv != null;
            if (change.value() == null && !exists) {
                continue;
            }
            boolean first = !before.containsKey(change.key());
            before.putIfAbsent(change.key(), now == null ? new Newest(0, 0, null) : now);
            Newest replaced = before.get(change.key());
            int replacedBytes = first && now != null ? now.encode().length() : 0;
            int sub = mine.size();
            Bytes kv =
                    change.value() == null ? null : live(change, exists ? now.kv : null, revision);
            Integer earlier = lastOf.put(change.key(), sub);
            if (earlier != null) {
                mine.set(earlier, inlined(mine.get(earlier), records.get(change.key())));
            }
            records.put(
                    change.key(), new VersionRecord(revision, sub, kv == null ? Bytes.EMPTY : kv));
            mine.add(
                    new LogEvent(
                            change.key(),
                            revision,
                            sub,
                            kv == null,
                            replaced.revision,
                            replacedBytes,
                            null));
            boolean creates = kv != null && KeyValue.decode(kv).createRevision() == revision;
            made.add(
                    new WatchEvent(
                            change.key(),
                            revision,
                            kv == null,
                            kv == null ? KeyValueCodec.encodeDeleted(change.key(), revision) : kv,
                            creates ? null : replaced.kv));
            newest.put(change.key(), new Newest(revision, sub, kv));
        }
        records.forEach((key, record) -> versions.put(coder.headKey(key), record.encode()));
        before.forEach(
                (key, replaced) -> {
                    if (replaced.revision != 0) {
                        versions.put(coder.historyKey(key, replaced.revision), replaced.encode());
                    }
                });
        if (!mine.isEmpty()) {
            logged.put(revision, mine);
            log.addAll(mine);
        }
        return made;
    }

    private static Bytes live(Change change, Bytes previous, long revision) {
        KeyValue old = previous == null ? null : KeyValue.decode(previous);
        return KeyValueCodec.encode(
                change.key(),
                old == null ? revision : old.createRevision(),
                revision,
                old == null ? 1 : old.version() + 1,
                change.value(),
                0);
    }

    private static LogEvent inlined(LogEvent event, VersionRecord overwritten) {
        return new LogEvent(
                event.key(),
                event.revision(),
                event.sub(),
                event.delete(),
                event.replacedRevision(),
                event.replacedBytes(),
                overwritten.encode());
    }

    /** Cuts a batch's changes into parts by the rules of {@link LogEntry}. */
    private void writeLog(List<LogEvent> log, WriteBatch.Builder batch) {
        List<LogEvent> part = new ArrayList<>();
        int at = 0;
        while (at < log.size()) {
            long revision = log.get(at).revision();
            int end = at;
            while (end < log.size() && log.get(end).revision() == revision) {
                end++;
            }
            List<LogEvent> whole = log.subList(at, end);
            if (!part.isEmpty() && part.size() + whole.size() > partEventsMax) {
                writePart(part, 0, batch);
                part = new ArrayList<>();
            }
            if (whole.size() > partEventsMax) {
                for (int from = 0, number = 0; from < whole.size(); number++) {
                    int to = Math.min(whole.size(), from + partEventsMax);
                    writePart(whole.subList(from, to), number, batch);
                    from = to;
                }
            } else {
                part.addAll(whole);
            }
            at = end;
        }
        if (!part.isEmpty()) {
            writePart(part, 0, batch);
        }
    }

    private void writePart(List<LogEvent> part, int number, WriteBatch.Builder batch) {
        batch.put(coder.logKey(part.get(0).revision(), number), new LogEntry(0, part).encode());
    }

    private long commit(WriteBatch.Builder batch) {
        CommitResult result = storage.commit(batch.build()).toCompletableFuture().join();
        return ((CommitResult.Committed) result).timestamp();
    }
}
