package io.brain.server.metrics;

import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Passes everything on to a storage engine, and measures its commits. */
public final class MeteredStorage extends ForwardingKvStorage implements MetricsSource {
    private final Histogram synced = Histogram.ofSeconds();
    private final LongAdder committed = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder uncertain = new LongAdder();
    private final LongAdder unavailable = new LongAdder();

    /** Measures {@code delegate}, which it closes. */
    public MeteredStorage(KvStorage delegate) {
        super(delegate);
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        long since = System.nanoTime();
        CompletionStage<CommitResult> end = super.commit(batch);
        end.whenComplete(
                (result, failure) -> {
                    if (result instanceof CommitResult.Committed && batch.synced()) {
                        synced.record(System.nanoTime() - since);
                    }
                    count(result);
                });
        return end;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.histogram(
                "etcd_disk_wal_fsync_duration_seconds",
                "Commits that waited for the disk: the engine's write and its sync together.");
        synced.writeTo(text);
        text.counter("brain_storage_commits_total", "Commits of the engine, by how they ended.")
                .value(committed.sum(), "result", "committed")
                .value(conflicts.sum(), "result", "conflict")
                .value(uncertain.sum(), "result", "uncertain")
                .value(unavailable.sum(), "result", "unavailable");
        delegate()
                .stats()
                .forEach(
                        (name, value) ->
                                text.gauge("brain_storage_" + name, "The storage engine's own.")
                                        .value(value));
    }

    /** A failure to answer leaves open how the commit ended. */
    private void count(CommitResult result) {
        if (result instanceof CommitResult.Committed) {
            committed.increment();
        } else if (result instanceof CommitResult.Conflict) {
            conflicts.increment();
        } else if (result instanceof CommitResult.Unavailable) {
            unavailable.increment();
        } else {
            uncertain.increment();
        }
    }
}
