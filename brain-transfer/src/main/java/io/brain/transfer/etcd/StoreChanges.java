package io.brain.transfer.etcd;

import io.brain.backend.store.ChangeSorter;
import io.brain.backend.store.HistoryScan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the changes of a store, sorts them, and writes them into the bucket of changes. */
final class StoreChanges implements HistoryScan.Visitor {
    /** Changes to fetch together: each can have a value of 1.5 MiB. */
    private static final int FETCH_MAX = 16;

    private final ChangeSorter sorter;
    private final KeyBucketWriter bucket;
    private final long compactRevision;
    private long bytesRead;
    private long bytesSorted;

    StoreChanges(ChangeSorter sorter, KeyBucketWriter bucket, long compactRevision) {
        this.sorter = sorter;
        this.bucket = bucket;
        this.compactRevision = compactRevision;
    }

    /** Bytes of all changes that were read so far. */
    long bytesRead() {
        return bytesRead;
    }

    /** Adds the exported changes to the sorter. */
    void read(HistoryScan scan) throws IOException {
        scan.run(this);
    }

    /** Adds the changes after a revision, up to the newest, to the sorter: reads only them. */
    void readAfter(long after, long newest, Snapshot snapshot, KeyCoder coder, Runnable check)
            throws IOException {
        try (LogScan log =
                new LogScan(snapshot, coder, Math.max(after + 1, LogScan.REVISION_MIN))) {
            List<LogEvent> events = new ArrayList<>();
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                check.run();
                logged(event);
                if (event.inline() == null) {
                    events.add(event);
                }
                if (events.size() == FETCH_MAX) {
                    fetch(events, snapshot, coder);
                }
            }
            log.requireReached(newest);
            fetch(events, snapshot, coder);
        }
    }

    /** Adds the versions of events, which are heads or in the history. */
    private void fetch(List<LogEvent> events, Snapshot snapshot, KeyCoder coder)
            throws IOException {
        List<Bytes> heads = snapshot.get(keys(events, event -> coder.headKey(event.key())));
        List<Bytes> replaced =
                snapshot.get(
                        keys(events, event -> coder.historyKey(event.key(), event.revision())));
        for (int i = 0; i < events.size(); i++) {
            LogEvent event = events.get(i);
            Bytes stored = replaced.get(i) == null ? heads.get(i) : replaced.get(i);
            VersionRecord version = stored == null ? null : VersionRecord.decode(stored);
            if (version == null || version.revision() != event.revision()) {
                throw new StorageException(
                        StorageException.Kind.CORRUPT,
                        "the version of \"%s\" at revision %d is missing"
                                .formatted(event.key(), event.revision()));
            }
            add(event.key(), version);
        }
        events.clear();
    }

    private static List<Bytes> keys(List<LogEvent> events, Function<LogEvent, Bytes> key) {
        return events.stream().map(key).toList();
    }

    /** Writes them; can be called once. */
    void write(StepListener listener) throws IOException {
        long[] written = new long[1];
        sorter.drain(
                (revision, sub, kv) -> {
                    bucket.put(revision, sub, kv);
                    written[0] += kv.length;
                    listener.progress("write", written[0], bytesSorted);
                });
        bucket.finish(compactRevision);
    }

    @Override
    public void version(Bytes key, VersionRecord change, boolean newest) throws IOException {
        // etcd's compaction keeps a delete only at its own revision.
        if (!change.isDelete(key) || change.revision() >= compactRevision) {
            add(key, change);
        }
    }

    @Override
    public void logged(LogEvent event) throws IOException {
        if (event.inline() != null) {
            add(event.key(), VersionRecord.decode(event.inline()));
        }
    }

    private void add(Bytes key, VersionRecord change) throws IOException {
        Bytes kv = change.isTombstone() ? KeyValueCodec.encodeTombstone(key) : change.kv();
        bytesRead += kv.length();
        if (bucket.admits(change.revision(), key)) {
            bytesSorted += kv.length();
            sorter.add(change.revision(), change.sub(), kv.array());
        }
    }
}
