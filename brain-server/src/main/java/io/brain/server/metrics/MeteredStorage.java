package io.brain.server.metrics;

import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import io.brain.storage.placed.PlacedStorage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Decorates a storage engine with commit metrics. */
public final class MeteredStorage extends ForwardingKvStorage implements MetricsSource {
    private final Histogram synced = Histogram.ofSeconds();

    /** Time of the last synced commit; initially the creation. */
    private volatile long lastSynced = System.nanoTime();

    /** Pending commits; bounded by the engine's concurrency. */
    private final Set<Commit> pending = ConcurrentHashMap.newKeySet();

    private final LongAdder syncedBytes = new LongAdder();
    private final LongAdder committed = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder uncertain = new LongAdder();
    private final LongAdder unavailable = new LongAdder();

    /** Decorates {@code delegate}, and closes it. */
    public MeteredStorage(KvStorage delegate) {
        super(delegate);
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        Commit commit = new Commit(System.nanoTime());
        pending.add(commit);
        CompletionStage<CommitResult> end;
        try {
            end = super.commit(batch);
        } catch (RuntimeException refused) {
            pending.remove(commit);
            throw refused;
        }
        end.whenComplete(
                (result, failure) -> {
                    pending.remove(commit);
                    if (result instanceof CommitResult.Committed) {
                        lastSynced = System.nanoTime();
                        synced.record(lastSynced - commit.since);
                        syncedBytes.add(batch.bytes());
                    }
                    count(result);
                });
        return end;
    }

    /** The decorated storage if it has placed stores; otherwise null. */
    public PlacedStorage placed() {
        return delegate() instanceof PlacedStorage several ? several : null;
    }

    /** Age of the oldest pending commit; 0 if there is none. */
    public long oldestCommitNanos() {
        long now = System.nanoTime();
        return pending.stream().mapToLong(commit -> now - commit.since).max().orElse(0);
    }

    /** Time of the last synced commit in {@link System#nanoTime}; initially the creation. */
    public long lastSynced() {
        return lastSynced;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.histogram(
                "etcd_disk_wal_fsync_duration_seconds",
                "Durations of synced commits, engine write and sync.");
        synced.writeTo(text);
        text.gauge("etcd_disk_wal_write_bytes_total", "Bytes of synced commits.")
                .value(syncedBytes.sum());
        text.counter("brain_storage_commits_total", "Engine commits, by result.")
                .value(committed.sum(), "result", "committed")
                .value(conflicts.sum(), "result", "conflict")
                .value(uncertain.sum(), "result", "uncertain")
                .value(unavailable.sum(), "result", "unavailable");
        text.gauge("brain_storage_commit_oldest_seconds", "Age of the oldest pending commit.")
                .value(oldestCommitNanos() / 1e9);
        if (placed() != null) {
            PlacementMetrics.write(placed(), text);
        }
        Map<String, Long> stats = delegate().stats();
        if (stats.containsKey("snapshots")) {
            text.gauge("etcd_mvcc_db_open_read_transactions", "Open snapshots.")
                    .value(stats.get("snapshots"));
        }
        stats.forEach(
                (name, value) ->
                        text.gauge("brain_storage_" + name, "Statistic of the storage engine.")
                                .value(value));
    }

    /** A failed future counts as uncertain. */
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

    /** A pending commit, compared by identity. */
    private static final class Commit {
        /** Start in {@link System#nanoTime}. */
        private final long since;

        Commit(long since) {
            this.since = since;
        }
    }
}
