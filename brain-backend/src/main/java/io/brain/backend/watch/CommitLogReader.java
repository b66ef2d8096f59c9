package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads events from the commit log and the stored versions, for several watchers together: an event
 * for two of them is read, built and encoded once. Thread-safe; blocks, so it is used on log reader
 * threads.
 *
 * <p>A read uses one engine snapshot, also for the compact revision. That is durable before lower
 * revisions are removed, so a read from it or a later revision is complete.
 */
final class CommitLogReader {
    private final Store store;
    private final long bytesMax;
    private final long resumeRevisions;

    /**
     * A reader of a store.
     *
     * @param bytesMax bytes of events, or of log entries, after which a read ends; revisions are
     *     read completely
     * @param resumeRevisions revisions below the compact revision from which a read may begin; it
     *     finds everything, or that something was removed
     */
    CommitLogReader(Store store, long bytesMax, long resumeRevisions) {
        this.store = store;
        this.bytesMax = bytesMax;
        this.resumeRevisions = resumeRevisions;
    }

    /**
     * What to read for a watcher.
     *
     * @param request span and filters; prevKv if replaced KeyValues are read
     * @param from first revision
     * @param to last revision; at most the read point's
     */
    record Want(WatchRequest request, long from, long to) {}

    /**
     * Result for a {@link Want}.
     *
     * @param events events of at most 1000 complete revisions, in order; may be empty
     * @param next first revision that was not read
     * @param compacted true if compaction removed what the want needs; nothing is found then
     */
    record Found(List<WatchEvent> events, long next, boolean compacted) {}

    /**
     * Result of a read.
     *
     * @param floor the compact revision
     * @param found one for each want, in the same order
     */
    record Result(long floor, List<Found> found) {}

    /**
     * Reads for all wants, until the limit of bytes, or until the engine becomes unavailable after
     * complete revisions were read: a watcher gets them, and the next read begins behind them.
     *
     * @throws StorageException CORRUPT if a revision is missing; the engine's
     */
    Result read(List<Want> wants, ReadPoint point) {
        KeyCoder coder = store.coder();
        try (Snapshot snapshot = store.open(point)) {
            long floor = CompactRecord.decode(snapshot.get(coder.compactKey())).floor();
            long oldest = oldest(wants, floor, snapshot);
            List<CatchUpBatch> batches = new ArrayList<>(wants.size());
            WatcherIndex<CatchUpBatch> open = new WatcherIndex<>();
            long from = Long.MAX_VALUE;
            long to = 0;
            for (Want want : wants) {
                CatchUpBatch batch = new CatchUpBatch(want.request(), want.from(), want.to());
                batches.add(batch);
                if (want.from() < oldest) {
                    batch.compact();
                } else {
                    open.add(want.request().span(), batch);
                    from = Math.min(from, Math.max(want.from(), LogScan.REVISION_MIN));
                    to = Math.max(to, want.to());
                }
            }
            long reached = to;
            if (from <= to) {
                boolean resumes = resumeRevisions > 0;
                EventLoader loader = new EventLoader(snapshot, coder, floor, bytesMax, resumes);
                try (LogScan log = new LogScan(snapshot, coder, from)) {
                    reached = walk(log, from, to, open, loader);
                    if (log.passedGap()) {
                        batches.stream()
                                .filter(batch -> batch.startsBelow(floor))
                                .forEach(CatchUpBatch::compact);
                    }
                }
            }
            List<Found> found = new ArrayList<>(batches.size());
            for (CatchUpBatch batch : batches) {
                batch.endAt(reached);
                boolean compacted = batch.isCompacted();
                List<WatchEvent> events = compacted ? List.of() : batch.events();
                found.add(new Found(events, batch.next(reached), compacted));
            }
            return new Result(floor, found);
        }
    }

    /** The first revision from which the log is read: the floor, or a lower one that it has. */
    private long oldest(List<Want> wants, long floor, Snapshot snapshot) {
        long from = wants.stream().mapToLong(Want::from).min().orElse(floor);
        if (from >= floor || resumeRevisions == 0) {
            return floor;
        }
        long lowest = Math.max(from, Math.max(floor - resumeRevisions, LogScan.REVISION_MIN));
        return Math.min(floor, LogScan.firstFrom(lowest, snapshot, store.coder()));
    }

    /** Loads events up to {@code to} or the limit; returns the last complete revision. */
    private long walk(
            LogScan log, long from, long to, WatcherIndex<CatchUpBatch> open, EventLoader loader) {
        long revision = from - 1;
        try {
            Set<CatchUpBatch> full = new LinkedHashSet<>();
            LogEvent event = log.next();
            for (; event != null && event.revision() <= to; event = log.next()) {
                if (event.revision() != revision) {
                    full.forEach(batch -> open.remove(batch.request().span(), batch));
                    full.clear();
                    if (revision >= from
                            && (open.size() == 0 || loader.isFull() || log.bytes() >= bytesMax)) {
                        break;
                    }
                    revision = event.revision();
                }
                offer(event, open, full, loader);
            }
            loader.load();
            if (event == null) {
                log.requireReached(to);
            }
            return event != null && event.revision() <= to ? revision : to;
        } catch (StorageException e) {
            long loaded = loader.loadedBefore(revision);
            if (e.kind() != StorageException.Kind.UNAVAILABLE || loaded < from) {
                throw e;
            }
            return loaded;
        }
    }

    /** Adds a change to the batches that include it, and to {@code full} those that it ends. */
    private static void offer(
            LogEvent event,
            WatcherIndex<CatchUpBatch> open,
            Set<CatchUpBatch> full,
            EventLoader loader) {
        List<CatchUpBatch> including = new ArrayList<>();
        open.forEach(
                event.key(),
                batch -> {
                    if (batch.admits(event.revision(), event.delete())) {
                        including.add(batch);
                    } else if (batch.isFull()) {
                        full.add(batch);
                    }
                });
        if (!including.isEmpty()) {
            loader.add(event, including);
        }
    }
}
