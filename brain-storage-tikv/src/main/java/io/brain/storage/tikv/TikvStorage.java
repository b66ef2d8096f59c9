package io.brain.storage.tikv;

import com.google.protobuf.ByteString;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.remote.CommitThreads;
import io.brain.storage.remote.OpenHandles;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.Cluster;
import io.brain.storage.tikv.client.Counters;
import io.brain.storage.tikv.client.RegionCache;
import io.brain.storage.tikv.client.RegionFanout;
import io.brain.storage.tikv.client.SilentStores;
import io.brain.storage.tikv.client.TikvSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A shared store: several processes can open it, read and commit. */
final class TikvStorage implements KvStorage {
    private static final Logger log = LoggerFactory.getLogger(TikvStorage.class);

    /** Hard limit of one batch, which is copied in memory several times. */
    private static final long BATCH_BYTES_LIMIT = 256L << 20;

    /**
     * TiKV refuses keys of more than 8 KiB (storage.max-key-size), counted after its encoding: nine
     * bytes per eight, plus one group.
     */
    private static final int KEY_BYTES_MAX = (8 << 10) / 9 * 8 - 16;

    /**
     * TiKV refuses larger entries of its log (raftstore.raft-entry-max-size, 8 MiB by default). One
     * has a value with its key, and the batch's primary key.
     */
    private static final int VALUE_BYTES_MAX = (8 << 20) - (64 << 10);

    /** Keys of TiDB's tables: 't' and the positive number of a table. */
    private static final Reader.Span TIDB_TABLES =
            new Reader.Span(
                    ByteString.copyFrom(new byte[] {'t', (byte) 0x80}),
                    ByteString.copyFrom(new byte[] {'t', (byte) 0x81}));

    private final TikvSettings settings;
    private final Cluster cluster;
    private final Reader reader;
    private final Committer committer;
    private final CommitThreads committers;

    /** Commit secondaries after the result is reported. */
    private final CommitThreads finishers;

    private final Counters counters;
    private final SafePoint safePoint;
    private final OpenHandles handles = new OpenHandles();
    private final OpenReads reads = new OpenReads();

    private TikvStorage(TikvSettings settings, Cluster cluster, Counters counters) {
        this.settings = settings;
        this.cluster = cluster;
        this.counters = counters;
        this.committers = new CommitThreads("tikv-commit-", settings.commitThreads());
        this.finishers = new CommitThreads("tikv-finish-", settings.commitThreads());
        RegionCache regions = cluster.regions();
        SilentStores silent = new SilentStores(regions);
        RegionFanout fanout = new RegionFanout(regions, silent);
        InFlight inFlight = new InFlight(settings.rpcTimeout());
        LockResolver locks = new LockResolver(fanout, cluster.clock(), inFlight, counters);
        this.safePoint =
                new SafePoint(
                        settings.gc(),
                        cluster.clock(),
                        cluster.safePoints(),
                        new LockScanner(regions, locks, settings.commitTimeout(), counters),
                        this::holdsTidbTables,
                        reads,
                        counters);
        this.reader =
                new Reader(
                        fanout, regions, silent, locks, safePoint::check, settings.readTimeout());
        this.committer =
                new Committer(
                        settings,
                        cluster,
                        new Committer.Parts(fanout, locks, inFlight, reader, counters),
                        work -> finish(finishers, work));
    }

    /** True if TiDB has tables in this TiKV. No keyspace begins as their keys do. */
    private boolean holdsTidbTables() {
        ReadPoint now = new ReadPoint(cluster.clock().once());
        Reader.Span left = TIDB_TABLES;
        while (left != null) {
            Reader.Page page = reader.scan(left, true, 1, now);
            if (!page.pairs().isEmpty()) {
                return true;
            }
            left = page.rest();
        }
        return false;
    }

    /** Connects; throws kind UNAVAILABLE, in bounded time, if the cluster is unreachable. */
    static TikvStorage open(TikvSettings settings) {
        Counters counters = new Counters();
        TikvStorage storage =
                new TikvStorage(settings, Cluster.connect(settings, counters), counters);
        storage.safePoint.start();
        return storage;
    }

    /**
     * Reads at the current timestamp: waits for transactions in flight, or makes them commit later.
     */
    @Override
    public Snapshot snapshot() {
        return snapshotAt(timestamp());
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        return new TikvSnapshot(reader, new ReadPoint(timestamp), handles, reads);
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        if (batch.bytes() > BATCH_BYTES_LIMIT) {
            return tooLarge("a batch of " + batch.bytes() + " bytes");
        }
        for (Mutation mutation : batch.mutations()) {
            if (mutation.key().length() > KEY_BYTES_MAX) {
                return tooLarge("a key of " + mutation.key().length() + " bytes");
            }
        }
        return committers
                .call(handles, batch.bytes(), () -> end(batch, committer::commit))
                .exceptionally(
                        refused -> new CommitResult.Unavailable(CommitThreads.failure(refused)));
    }

    private static CompletionStage<CommitResult> tooLarge(String what) {
        return CompletableFuture.completedFuture(
                new CommitResult.Unavailable(
                        new StorageException(Kind.TOO_LARGE, what + " exceeds the limit")));
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        batch.resolvingValue();
        return committers
                .call(handles, batch.bytes(), () -> end(batch, committer::resolve))
                .exceptionally(
                        refused -> new CommitResult.Uncertain(CommitThreads.failure(refused)));
    }

    @Override
    public CompletionStage<Void> fenceOff(List<Bytes> primaries) {
        return committers.call(
                handles,
                0,
                () -> {
                    primaries.forEach(committer::fenceOff);
                    return null;
                });
    }

    /** A timestamp of PD. */
    @Override
    public long timestamp() {
        OpenHandles.Handle handle = handles.open("clock");
        try {
            return cluster.clock().now(new Backoff(settings.readTimeout()));
        } finally {
            handle.release();
        }
    }

    @Override
    public int keyBytesMax() {
        return KEY_BYTES_MAX;
    }

    @Override
    public int valueBytesMax() {
        return VALUE_BYTES_MAX;
    }

    @Override
    public long batchBytesMax() {
        return settings.batchBytesMax();
    }

    @Override
    public Map<String, Long> stats() {
        Map<String, Long> stats = counters.read();
        stats.putAll(safePoint.stats());
        return stats;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(
                StorageTrait.SURVIVES_RESTART,
                StorageTrait.SNAPSHOT_AT_TIMESTAMP,
                StorageTrait.REMOTE);
    }

    @Override
    public synchronized void close() {
        handles.close();
        if (committers.stop()) {
            finishers.stop();
            safePoint.close();
            cluster.close();
            log.info(
                    "closed TiKV connections pd={}",
                    String.join(",", settings.network().pdEndpoints()));
        }
    }

    /** Runs the rest of a commit; here, which delays the result, if no thread is available. */
    static void finish(CommitThreads finishers, Runnable work) {
        Runnable rest =
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException | Error e) {
                        log.warn(
                                "failed to commit secondaries, readers will resolve their locks",
                                e);
                    }
                };
        try {
            finishers.run(0, rest);
        } catch (RejectedExecutionException e) {
            rest.run();
        }
    }

    private static CommitResult end(WriteBatch batch, Function<WriteBatch, CommitResult> work) {
        try {
            return work.apply(batch);
        } catch (RuntimeException | Error e) {
            log.error("unexpected error during commit", e);
            return new CommitResult.Uncertain(CommitThreads.failure(e));
        }
    }
}
