package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads events back from the commit log and the stored versions, for several watchers in one walk:
 * what two of them want is read, built and later encoded once. Thread-safe; blocks, so it runs on a
 * log reader thread.
 *
 * <p>All of a read is of one engine snapshot. The compaction floor is read in that snapshot too: it
 * is durable before anything below it is deleted, so whatever begins at or above it is complete.
 */
public final class CommitLogReader {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final long bytesMax;

    /**
     * A reader of one store.
     *
     * @param bytesMax bytes of events, and bytes of log, after which a read ends; a revision is
     *     read as a whole
     */
    public CommitLogReader(KvStorage storage, KeyCoder coder, long bytesMax) {
        this.storage = storage;
        this.coder = coder;
        this.bytesMax = bytesMax;
    }

    /**
     * A share of a read.
     *
     * @param request whose span, filters and wish for replaced KeyValues count
     * @param from first revision wanted
     * @param to last revision wanted; at most the read point's
     */
    public record Want(WatchRequest request, long from, long to) {}

    /**
     * What a read found for one {@link Want}.
     *
     * @param events whole revisions in order, at most 1000 of them; may be empty
     * @param next the first revision that was not read
     */
    public record Found(List<WatchEvent> events, long next) {}

    /**
     * What a read found.
     *
     * @param floor the compaction floor; a want from below it found nothing and never will
     * @param found one for each want, in their order
     */
    public record Result(long floor, List<Found> found) {}

    /**
     * Reads for all wants at once, as far as one read goes.
     *
     * @throws io.brain.storage.StorageException kind CORRUPT if a revision is missing; others as
     *     the engine says
     */
    public Result read(List<Want> wants, ReadPoint point) {
        try (Snapshot snapshot = open(point)) {
            long floor = CompactRecord.decode(snapshot.get(coder.compactKey())).floor();
            List<CatchUpBatch> gathers = new ArrayList<>(wants.size());
            WatcherIndex<CatchUpBatch> open = new WatcherIndex<>();
            long from = Long.MAX_VALUE;
            long to = 0;
            for (Want want : wants) {
                CatchUpBatch gather = new CatchUpBatch(want.request(), want.from(), want.to());
                gathers.add(gather);
                if (want.from() >= floor) {
                    open.add(want.request().span(), gather);
                    from = Math.min(from, Math.max(want.from(), LogScan.REVISION_MIN));
                    to = Math.max(to, want.to());
                }
            }
            long reached = to;
            if (from <= to) {
                EventLoader loader = new EventLoader(snapshot, coder, floor, bytesMax);
                try (LogScan log = new LogScan(snapshot, coder, from)) {
                    reached = walk(log, to, open, loader);
                }
            }
            List<Found> found = new ArrayList<>(gathers.size());
            for (CatchUpBatch gather : gathers) {
                found.add(new Found(gather.events(), gather.next(reached)));
            }
            return new Result(floor, found);
        }
    }

    /** Hands out what is wanted up to {@code to} or a bound; answers the last revision covered. */
    private long walk(LogScan log, long to, WatcherIndex<CatchUpBatch> open, EventLoader loader) {
        List<CatchUpBatch> takers = new ArrayList<>();
        Set<CatchUpBatch> full = new LinkedHashSet<>();
        long revision = 0;
        LogEvent event = log.next();
        for (; event != null && event.revision() <= to; event = log.next()) {
            if (event.revision() != revision) {
                full.forEach(gather -> open.remove(gather.request().span(), gather));
                full.clear();
                if (revision != 0
                        && (open.size() == 0 || loader.isFull() || log.bytes() >= bytesMax)) {
                    break;
                }
                revision = event.revision();
            }
            boolean delete = event.delete();
            long at = revision;
            open.forEach(
                    event.key(),
                    gather -> {
                        if (gather.admits(at, delete)) {
                            takers.add(gather);
                        } else if (gather.isFull()) {
                            full.add(gather);
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

    private Snapshot open(ReadPoint point) {
        return storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP)
                ? storage.snapshotAt(point.timestamp())
                : storage.snapshot();
    }
}
