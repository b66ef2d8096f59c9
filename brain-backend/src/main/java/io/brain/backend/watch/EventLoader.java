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
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Builds events from log entries: reads the new and the replaced KeyValues, many at a time, and
 * adds each event to the batches that include it. Used by one thread.
 *
 * <p>What is read at a time must fit into memory. The log tells the size of a version only where it
 * was replaced; so versions that no added change replaced are few at a time.
 */
final class EventLoader {
    /** Limit of changes to read together. */
    private static final int READ_MAX = 512;

    /** Versions of unknown size to read first, while nothing tells how large they may be. */
    private static final int UNSIZED_FIRST = 4;

    /** Part of the limit of bytes for each version of unknown size to read together. */
    private static final int UNSIZED_BYTES = 32 << 10;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final long floor;
    private final long bytesMax;
    private final boolean resumes;
    private final List<Change> waiting = new ArrayList<>();

    /** Bytes that the waiting changes need, as far as the log told their size. */
    private long sizedBytes;

    /** The last waiting change of each key whose version must be read. */
    private final Map<Bytes, Change> last = new HashMap<>();

    /** Versions to read that no waiting change replaced so far. */
    private int unsized;

    private int unsizedMax = UNSIZED_FIRST;

    /** True if most of the unsized versions that were loaded last were heads. */
    private boolean headsFirst;

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

    private static final class Change {
        private final LogEvent event;
        private final List<CatchUpBatch> batches;
        private final boolean prevKv;

        /** True if a later change replaced the version, and told its size. */
        private boolean replaced;

        Change(LogEvent event, List<CatchUpBatch> batches, boolean prevKv) {
            this.event = event;
            this.batches = batches;
            this.prevKv = prevKv;
        }

        /** True if the new KeyValue must be read. */
        private boolean isStored() {
            return !event.delete() && event.inline() == null;
        }
    }

    /**
     * Adds a change; its event is added to the batches by {@link #load}, or earlier.
     *
     * @param batches not changed afterwards
     */
    void add(LogEvent event, List<CatchUpBatch> batches) {
        boolean prevKv =
                event.replacedRevision() != 0
                        && event.revision() - 1 >= floor
                        && batches.stream().anyMatch(batch -> batch.request().prevKv());
        Change change = new Change(event, batches, prevKv);
        waiting.add(change);
        sizedBytes += prevKv ? event.replacedBytes() : 0;
        Change before = last.get(event.key());
        if (before != null
                && event.replacedBytes() != 0
                && event.replacedRevision() == before.event.revision()) {
            before.replaced = true;
            unsized--;
            sizedBytes += event.replacedBytes();
        }
        if (change.isStored()) {
            last.put(event.key(), change);
            unsized++;
        }
        if (waiting.size() == READ_MAX || unsized >= unsizedMax) {
            load();
        }
    }

    /** True if enough was loaded or added; to be called between revisions. */
    boolean isFull() {
        return bytes + sizedBytes >= bytesMax;
    }

    /** The revision before that of the first change that is not loaded, of all up to a revision. */
    long loadedBefore(long revision) {
        return (waiting.isEmpty() ? revision : waiting.get(0).event.revision()) - 1;
    }

    /** Builds the events of all added changes. */
    void load() {
        List<Bytes> keys = new ArrayList<>();
        for (Change change : waiting) {
            if (change.isStored()) {
                keys.add(key(change, isHeadFirst(change)));
            }
            if (change.prevKv) {
                LogEvent event = change.event;
                keys.add(coder.historyKey(event.key(), event.replacedRevision()));
            }
        }
        Iterator<Bytes> found = get(keys).iterator();
        List<Bytes> owns = new ArrayList<>(waiting.size());
        List<Bytes> prevKvs = new ArrayList<>(waiting.size());
        List<Bytes> otherKeys = new ArrayList<>();
        int heads = 0;
        for (Change change : waiting) {
            LogEvent event = change.event;
            Bytes own = event.inline();
            if (change.isStored()) {
                own = ofRevision(event.revision(), found.next());
                boolean head = isHeadFirst(change);
                heads += head == (own != null) ? 1 : 0;
                if (own == null) {
                    otherKeys.add(key(change, !head));
                }
            }
            owns.add(own);
            prevKvs.add(change.prevKv ? present(event, found.next()) : null);
        }
        headsFirst = 2 * heads > unsized;
        build(owns, prevKvs, get(otherKeys).iterator());
        events += waiting.size();
        waiting.clear();
        last.clear();
        sizedBytes = 0;
        unsized = 0;
        if (events > 0) {
            long room = (bytesMax - bytes) / (bytes / events + 1);
            long most = Math.min(2L * unsizedMax, bytesMax / UNSIZED_BYTES);
            unsizedMax = (int) Math.max(1, Math.min(room, most));
        }
    }

    /** True if a version is looked up in the head first, and not in the history. */
    private boolean isHeadFirst(Change change) {
        return headsFirst && !change.replaced;
    }

    private Bytes key(Change change, boolean head) {
        Bytes key = change.event.key();
        return head ? coder.headKey(key) : coder.historyKey(key, change.event.revision());
    }

    /** The version if it is that of the revision; else null. */
    private static Bytes ofRevision(long revision, Bytes stored) {
        boolean same =
                stored != null
                        && VersionRecord.revision(stored.array(), stored.length()) == revision;
        return same ? stored : null;
    }

    /** Builds the events; takes versions that were not in the first place from {@code others}. */
    private void build(List<Bytes> owns, List<Bytes> prevKvs, Iterator<Bytes> others) {
        for (int i = 0; i < waiting.size(); i++) {
            Change change = waiting.get(i);
            Bytes own = owns.get(i);
            if (own == null && change.isStored()) {
                own = others.next();
            }
            WatchEvent event = event(change.event, own, prevKvs.get(i));
            if (event == null) {
                change.batches.forEach(CatchUpBatch::compact);
            } else {
                addTo(change.batches, event);
                bytes += event.weight();
            }
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
