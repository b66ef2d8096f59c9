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
 * Makes events of logged changes: fetches the changed and the replaced KeyValues, many in one read
 * of the engine, and hands each event to everybody who takes it. Used by one thread.
 */
final class EventLoader {
    /** Most changes that are fetched together. */
    private static final int FETCH_MAX = 512;

    /** How many are fetched first, while nothing is known of their size. */
    private static final int FETCH_FIRST = 4;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final long floor;
    private final long bytesMax;
    private final List<Change> waiting = new ArrayList<>();
    private int fetch = FETCH_FIRST;
    private long events;
    private long bytes;

    /**
     * A loader.
     *
     * @param floor the snapshot's compaction floor: what was replaced below it is not told
     * @param bytesMax bytes of events that one likes to load
     */
    EventLoader(Snapshot snapshot, KeyCoder coder, long floor, long bytesMax) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.floor = floor;
        this.bytesMax = bytesMax;
    }

    private record Change(LogEvent event, List<CatchUpBatch> takers, boolean prevKv) {}

    /** Takes a change in; its event reaches the takers at the latest with {@link #load}. */
    void add(LogEvent event, List<CatchUpBatch> takers) {
        boolean prevKv =
                event.replacedRevision() != 0
                        && event.revision() - 1 >= floor
                        && takers.stream().anyMatch(taker -> taker.request().prevKv());
        waiting.add(new Change(event, List.copyOf(takers), prevKv));
        if (waiting.size() == FETCH_MAX) {
            load();
        }
    }

    /** True if enough was loaded; to be asked between revisions. */
    boolean isFull() {
        if (waiting.size() >= fetch) {
            load();
        }
        return bytes >= bytesMax;
    }

    /** Hands out everything that was taken in. */
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
                own = present(change.event(), heads.next());
            }
            WatchEvent event = event(change.event(), own, prevKvs.get(i));
            change.takers().forEach(taker -> taker.add(event));
            bytes += event.weight();
        }
        events += waiting.size();
        waiting.clear();
        if (events > 0) {
            long room = (bytesMax - bytes) / (bytes / events + 1);
            fetch = (int) Math.max(1, Math.min(room, FETCH_MAX));
        }
    }

    private List<Bytes> get(List<Bytes> keys) {
        return keys.isEmpty() ? List.of() : snapshot.get(keys);
    }

    /**
     * Makes an event.
     *
     * @param own the changed version, as it is stored; of a delete it is not looked at
     * @param replaced the version that was replaced; null if it is not asked for
     */
    private static WatchEvent event(LogEvent event, Bytes own, Bytes replaced) {
        VersionRecord previous = replaced == null ? null : VersionRecord.decode(replaced);
        Bytes prevKv = previous == null || previous.isTombstone() ? null : previous.kv();
        if (event.delete()) {
            Bytes kv = KeyValueCodec.encodeDeleted(event.key(), event.revision());
            return new WatchEvent(event.key(), event.revision(), true, kv, prevKv);
        }
        VersionRecord version = VersionRecord.decode(own);
        if (version.revision() != event.revision() || version.isTombstone()) {
            throw missing(event);
        }
        // A put after a delete in the same revision creates the key: it replaced nothing.
        boolean creates = KeyValue.decode(version.kv()).createRevision() == event.revision();
        return new WatchEvent(
                event.key(), event.revision(), false, version.kv(), creates ? null : prevKv);
    }

    /** True if the changed KeyValue must be fetched. */
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
