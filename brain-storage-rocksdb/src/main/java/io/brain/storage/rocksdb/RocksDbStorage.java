package io.brain.storage.rocksdb;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.rocksdb.recovery.Ballast;
import io.brain.storage.rocksdb.recovery.DataDirectory;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store in a local directory. Commits are written one at a time with one sync each, by the commit
 * thread. Reads run on the caller's thread.
 */
final class RocksDbStorage implements KvStorage {
    private static final Logger log = LoggerFactory.getLogger(RocksDbStorage.class);

    private static final int WAITING_MAX = 1024;
    private static final long WAITING_BYTES_MAX = 64L << 20;

    /** Hard limit of one batch, which is copied in memory several times. */
    private static final long BATCH_BYTES_LIMIT = 256L << 20;

    private final RocksDbSettings settings;
    private final DataDirectory directory;
    private final EngineSlot slot;
    private final Committer committer;
    private final Reclaimer reclaimer;
    private final ThreadPoolExecutor thread;

    private final AtomicLong waitingBytes = new AtomicLong();

    private RocksDbStorage(
            RocksDbSettings settings,
            DataDirectory directory,
            EngineSlot slot,
            Committer committer) {
        this.settings = settings;
        this.directory = directory;
        this.slot = slot;
        this.committer = committer;
        this.reclaimer = new Reclaimer(slot, directory::usableBytes);
        this.thread =
                new ThreadPoolExecutor(
                        1,
                        1,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(WAITING_MAX),
                        task -> new Thread(task, "rocksdb-commit"));
    }

    static RocksDbStorage open(RocksDbSettings settings) {
        return open(settings, Engine::write, EngineSlot.Timeouts.STANDARD);
    }

    /** For tests of failures: with another writer and timeouts. */
    static RocksDbStorage open(
            RocksDbSettings settings, Committer.Writer writer, EngineSlot.Timeouts timeouts) {
        NativeLibrary.load();
        DataDirectory directory = DataDirectory.open(settings.dataDirectory());
        try {
            Ballast ballast = new Ballast(directory, settings.ballastBytes());
            EngineOpener opener = new EngineOpener(directory, settings.engine(), ballast);
            EngineSlot slot = new EngineSlot(opener.open(), timeouts);
            // Before the first writes, because other processes may fill the disk.
            ballast.reserve();
            LogRoom room = new LogRoom(directory::logs);
            Committer committer = new Committer(slot, opener, ballast, settings, writer, room);
            if (!settings.syncWrites()) {
                log.warn("sync disabled, a crash loses acknowledged writes option=sync-writes");
            }
            return new RocksDbStorage(settings, directory, slot, committer);
        } catch (RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    @Override
    public Snapshot snapshot() {
        return new RocksDbSnapshot(slot.enter());
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        if (batch.bytes() > BATCH_BYTES_LIMIT) {
            String message = "a batch of " + batch.bytes() + " bytes exceeds the limit";
            return CompletableFuture.completedFuture(
                    new CommitResult.Unavailable(new StorageException(Kind.TOO_LARGE, message)));
        }
        return execute(batch, committer::commit, CommitResult.Unavailable::new);
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        batch.resolvingValue();
        return execute(batch, committer::resolve, CommitResult.Uncertain::new);
    }

    /** RocksDB's sequence number. */
    @Override
    public long timestamp() {
        slot.checkOpen();
        return committer.timestamp();
    }

    @Override
    public long batchBytesMax() {
        return settings.batchBytesMax();
    }

    @Override
    public Map<String, Long> stats() {
        try {
            Engine engine = slot.enter();
            try {
                return engine.stats();
            } finally {
                engine.readers().leave();
            }
        } catch (StorageException away) {
            return Map.of();
        }
    }

    @Override
    public void reclaim() {
        reclaimer.hint();
    }

    @Override
    public void finishLoading() {
        CompletableFuture<Void> end = CompletableFuture.runAsync(committer::finishLoading, thread);
        try {
            end.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof StorageException cause ? cause : failed;
        }
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN);
    }

    @Override
    public void close() {
        if (!slot.close()) {
            return;
        }
        reclaimer.close();
        thread.shutdown();
        Uninterrupted.await(() -> thread.awaitTermination(1, TimeUnit.DAYS) && slot.awaitReaders());
        committer.close();
        directory.close();
        log.info("closed store path={}", directory.root());
    }

    private CompletionStage<CommitResult> execute(
            WriteBatch batch,
            Function<WriteBatch, CommitResult> work,
            Function<StorageException, CommitResult> refusal) {
        long waiting = waitingBytes.addAndGet(batch.bytes());
        try {
            slot.checkOpen();
            if (waiting > WAITING_BYTES_MAX && waiting > batch.bytes()) {
                throw new RejectedExecutionException("commit queue is full (bytes)");
            }
            CompletableFuture<CommitResult> answer = new CompletableFuture<>();
            thread.execute(() -> answer.complete(onThread(batch, work)));
            return answer;
        } catch (StorageException | RejectedExecutionException e) {
            waitingBytes.addAndGet(-batch.bytes());
            StorageException refused =
                    e instanceof StorageException closed
                            ? closed
                            : new StorageException(
                                    thread.isShutdown() ? Kind.CLOSED : Kind.UNAVAILABLE,
                                    "commit queue is full, or storage is closed",
                                    e);
            return CompletableFuture.completedFuture(refusal.apply(refused));
        }
    }

    private CommitResult onThread(WriteBatch batch, Function<WriteBatch, CommitResult> work) {
        waitingBytes.addAndGet(-batch.bytes());
        try {
            return work.apply(batch);
        } catch (RuntimeException | Error e) {
            log.error("unexpected error during commit", e);
            return new CommitResult.Uncertain(
                    new StorageException(Kind.UNAVAILABLE, "unexpected error: " + e, e));
        }
    }
}
