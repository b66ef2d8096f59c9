package io.brain.backend.watch;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads events from the commit log and the stored versions, for several watchers in one scan: what
 * two of them want is read, built and later encoded once. Thread-safe; blocks, so it runs on a log
 * reader thread.
 *
 * <p>A read uses one engine snapshot, and the compact revision of that snapshot: it is durable
 * before anything below it is deleted, so whatever begins at or above it is complete.
 */
public final class CommitLogReader {
    private final Store store;
    private final long bytesMax;

    /**
     * A reader of one store.
     *
     * @param bytesMax bytes of events, and bytes of log, after which a read ends; each revision is
     *     read completely
     */
    public CommitLogReader(Store store, long bytesMax) {
        this.store = store;
        this.bytesMax = bytesMax;
    }

    /**
     * Fills batches as far as one read goes.
     *
     * @param batches up to the read point's revision at most
     * @return the compact revision; a batch that begins below it stays empty
     * @throws io.brain.storage.StorageException kind CORRUPT if a revision is missing; others from
     *     the engine
     */
    long read(Collection<CatchUpBatch> batches, ReadPoint point) {
        KeyCoder coder = store.coder();
        try (Snapshot snapshot = store.open(point)) {
            long floor = CompactRecord.decode(snapshot.get(coder.compactKey())).floor();
            WatcherIndex<CatchUpBatch> open = new WatcherIndex<>();
            long from = Long.MAX_VALUE;
            long to = 0;
            for (CatchUpBatch batch : batches) {
                if (batch.from >= floor) {
                    open.add(batch.request.span(), batch);
                    from = Math.min(from, Math.max(batch.from, LogScan.REVISION_MIN));
                    to = Math.max(to, batch.to);
                }
            }
            long reached = to;
            if (from <= to) {
                EventLoader loader = new EventLoader(snapshot, coder, floor, bytesMax);
                try (LogScan log = new LogScan(snapshot, coder, from)) {
                    reached = scan(log, to, open, loader);
                }
            }
            for (CatchUpBatch batch : batches) {
                batch.reach(reached);
            }
            return floor;
        }
    }

    /** Reads the log up to {@code to} or a bound; returns the last revision covered. */
    private long scan(LogScan log, long to, WatcherIndex<CatchUpBatch> open, EventLoader loader) {
        List<CatchUpBatch> takers = new ArrayList<>();
        Set<CatchUpBatch> full = new LinkedHashSet<>();
        long revision = 0;
        LogEvent event = log.next();
        for (; event != null && event.revision() <= to; event = log.next()) {
            if (event.revision() != revision) {
                full.forEach(batch -> open.remove(batch.request.span(), batch));
                full.clear();
                if (revision != 0
                        && (open.size() == 0 || loader.isFull() || log.bytes() >= bytesMax)) {
                    break;
                }
                revision = event.revision();
            }
            LogEvent change = event;
            open.forEach(
                    event.key(),
                    batch -> {
                        if (batch.accepts(change.revision(), change.delete())) {
                            takers.add(batch);
                        } else if (batch.isFull()) {
                            full.add(batch);
                        }
                    });
            if (!takers.isEmpty()) {
                loader.add(event, takers);
                takers.clear();
            }
        }
        loader.load();
        if (event == null) {
            log.requireReached(to);
        }
        return event != null && event.revision() <= to ? revision : to;
    }
}
