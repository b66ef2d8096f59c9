package io.brain.server.metrics;

import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** Passes everything on to a storage engine, and measures its commits. */
public final class MeteredStorage extends ForwardingKvStorage implements MetricsSource {
    private final Histogram synced = Histogram.ofSeconds();

    /** When a commit was last synced, or there was none yet. */
    private volatile long lastSynced = System.nanoTime();

    /** As many as the engine takes at a time. */
    private final Set<Commit> underWay = ConcurrentHashMap.newKeySet();

    private final LongAdder syncedBytes = new LongAdder();
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
        return measured(batch, super::commit);
    }

    @Override
    public CompletionStage<CommitResult> commitInPlace(WriteBatch batch) {
        return measured(batch, delegate()::commitInPlace);
    }

    private CompletionStage<CommitResult> measured(
            WriteBatch batch, Function<WriteBatch, CompletionStage<CommitResult>> engine) {
        Commit commit = new Commit(System.nanoTime());
        underWay.add(commit);
        CompletionStage<CommitResult> end;
        try {
            end = engine.apply(batch);
        } catch (RuntimeException refused) {
            underWay.remove(commit);
            throw refused;
        }
        end.whenComplete(
                (result, failure) -> {
                    underWay.remove(commit);
                    if (result instanceof CommitResult.Committed && batch.synced()) {
                        lastSynced = System.nanoTime();
                        synced.record(lastSynced - commit.since);
                        syncedBytes.add(batch.bytes());
                    }
                    count(result);
                });
        return end;
    }

    /** For how long the engine has not answered a commit; 0 if none is under way. */
    public long oldestCommitNanos() {
        long now = System.nanoTime();
        return underWay.stream().mapToLong(commit -> now - commit.since).max().orElse(0);
    }

    /** When a commit was last synced, as {@link System#nanoTime} was; at first, the beginning. */
    public long lastSynced() {
        return lastSynced;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.histogram(
                "etcd_disk_wal_fsync_duration_seconds",
                "Commits that waited for the disk: the engine's write and its sync together.");
        synced.writeTo(text);
        text.gauge("etcd_disk_wal_write_bytes_total", "Bytes of these commits.")
                .value(syncedBytes.sum());
        text.counter("brain_storage_commits_total", "Commits of the engine, by how they ended.")
                .value(committed.sum(), "result", "committed")
                .value(conflicts.sum(), "result", "conflict")
                .value(uncertain.sum(), "result", "uncertain")
                .value(unavailable.sum(), "result", "unavailable");
        text.gauge("brain_storage_commit_oldest_seconds", "Age of the oldest commit under way.")
                .value(oldestCommitNanos() / 1e9);
        Map<String, Long> stats = delegate().stats();
        if (stats.containsKey("snapshots")) {
            text.gauge("etcd_mvcc_db_open_read_transactions", "Snapshots that are read from.")
                    .value(stats.get("snapshots"));
        }
        stats.forEach(
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

    /** A commit under way, which equals no other. */
    private static final class Commit {
        /** As {@link System#nanoTime} was. */
        private final long since;

        Commit(long since) {
            this.since = since;
        }
    }
}
