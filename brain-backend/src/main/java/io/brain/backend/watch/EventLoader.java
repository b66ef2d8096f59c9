package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Builds events from log entries: reads the new and the replaced KeyValues, many at a time, and
 * adds each event to the batches that include it. Used by one thread.
 */
final class EventLoader {
    /** Limit of changes to read together. */
    private static final int READ_MAX = 512;

    /** Changes to read first, while their size is unknown. */
    private static final int READ_FIRST = 4;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final long floor;
    private final long bytesMax;
    private final boolean resumes;
    private final List<Change> waiting = new ArrayList<>();
    private int readSize = READ_FIRST;
    private long events;
    private long bytes;

    /**
     * A loader.
     *
     * @param floor the snapshot's compact revision; values replaced at it or below are left out
     * @param bytesMax bytes of events after which the loader is full
     * @param resumes whether watchers that started below the floor get all they ask for or nothing
     */
    EventLoader(Snapshot snapshot, KeyCoder coder, long floor, long bytesMax, boolean resumes) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.floor = floor;
        this.bytesMax = bytesMax;
        this.resumes = resumes;
    }

    private record Change(LogEvent event, List<CatchUpBatch> batches, boolean prevKv) {}

    /** Adds a change; its event is added to the batches by {@link #load}, or earlier. */
    void add(LogEvent event, List<CatchUpBatch> batches) {
        boolean prevKv =
                event.replacedRevision() != 0
                        && event.revision() - 1 >= floor
                        && batches.stream().anyMatch(batch -> batch.request().prevKv());
        waiting.add(new Change(event, List.copyOf(batches), prevKv));
        if (waiting.size() == READ_MAX) {
            load();
        }
    }

    /** True if enough was loaded; to be called between revisions. */
    boolean isFull() {
        if (waiting.size() >= readSize) {
            load();
        }
        return bytes >= bytesMax;
    }

    /** Builds the events of all added changes. */
    void load() {
        List<Bytes> historyKeys = new ArrayList<>();
        for (Change change : waiting) {
            LogEvent event = change.event();
            if (isStored(event)) {
                historyKeys.add(coder.historyKey(event.key(), event.revision()));
            }
            if (change.prevKv()) {
                historyKeys.add(coder.historyKey(event.key(), event.replacedRevision()));
            }
        }
        Iterator<Bytes> replaced = get(historyKeys).iterator();
        List<Bytes> owns = new ArrayList<>(waiting.size());
        List<Bytes> prevKvs = new ArrayList<>(waiting.size());
        List<Bytes> headKeys = new ArrayList<>();
        for (Change change : waiting) {
            Bytes own = isStored(change.event()) ? replaced.next() : change.event().inline();
            if (own == null && !change.event().delete()) {
                headKeys.add(coder.headKey(change.event().key()));
            }
            owns.add(own);
            prevKvs.add(change.prevKv() ? present(change.event(), replaced.next()) : null);
        }
        Iterator<Bytes> heads = get(headKeys).iterator();
        for (int i = 0; i < waiting.size(); i++) {
            Change change = waiting.get(i);
            Bytes own = owns.get(i);
            if (own == null && !change.event().delete()) {
                own = heads.next();
            }
            WatchEvent event = event(change.event(), own, prevKvs.get(i));
            if (event == null) {
                change.batches().forEach(CatchUpBatch::compact);
            } else {
                addTo(change.batches(), event);
                bytes += event.weight();
            }
        }
        events += waiting.size();
        waiting.clear();
        if (events > 0) {
            long room = (bytesMax - bytes) / (bytes / events + 1);
            readSize = (int) Math.max(1, Math.min(room, READ_MAX));
        }
    }

    /**
     * Adds an event to its batches; ends those that must not lack the replaced KeyValue, but do.
     *
     * <p>The log entry does not tell whether there was one: it names a replaced tombstone too, and
     * an import does not know what a change at its compact revision replaced. So only a put that
     * created its key lacks nothing; a delete of a key that its own revision created counts as if
     * it did.
     */
    private void addTo(List<CatchUpBatch> batches, WatchEvent event) {
        boolean lacksPrevKv =
                resumes && event.revision() <= floor && !creates(event.kv(), event.revision());
        for (CatchUpBatch batch : batches) {
            WatchRequest request = batch.request();
            if (lacksPrevKv && request.prevKv() && request.startRevision() < floor) {
                batch.compact();
            } else {
                batch.add(event);
            }
        }
    }

    private List<Bytes> get(List<Bytes> keys) {
        return keys.isEmpty() ? List.of() : snapshot.get(keys);
    }

    /**
     * Builds an event; null if compaction removed its version.
     *
     * @param own the new version, or a later one of the key, as stored; null if there is none; not
     *     used for a delete
     * @param replaced the replaced version; null if not wanted
     */
    private WatchEvent event(LogEvent event, Bytes own, Bytes replaced) {
        VersionRecord previous = replaced == null ? null : VersionRecord.decode(replaced);
        Bytes prevKv = previous == null || previous.isTombstone() ? null : previous.kv();
        if (event.delete()) {
            Bytes kv = KeyValueCodec.encodeDeleted(event.key(), event.revision());
            return new WatchEvent(event.key(), event.revision(), true, kv, prevKv);
        }
        VersionRecord version = own == null ? null : VersionRecord.decode(own);
        if (version == null || version.revision() != event.revision() || version.isTombstone()) {
            if (event.revision() < floor) {
                return null;
            }
            throw missing(event);
        }
        // A put after a delete in the same revision creates the key, and replaces nothing.
        boolean creates = creates(version.kv(), event.revision());
        return new WatchEvent(
                event.key(), event.revision(), false, version.kv(), creates ? null : prevKv);
    }

    /** True if an event's KeyValue is that of a key created by its revision; not for a delete. */
    private static boolean creates(Bytes kv, long revision) {
        return KeyValue.decode(kv).createRevision() == revision;
    }

    /** True if the new KeyValue must be read. */
    private static boolean isStored(LogEvent event) {
        return !event.delete() && event.inline() == null;
    }

    private static Bytes present(LogEvent event, Bytes stored) {
        if (stored == null) {
            throw missing(event);
        }
        return stored;
    }

    private static StorageException missing(LogEvent event) {
        return new StorageException(
                StorageException.Kind.CORRUPT,
                "a version of " + event.key() + " is missing for revision " + event.revision());
    }
}
