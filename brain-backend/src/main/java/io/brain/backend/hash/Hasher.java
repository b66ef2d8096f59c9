package io.brain.backend.hash;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.store.ChangeSorter;
import io.brain.backend.store.HistoryScan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes hashes of the store, one at a time, each from one engine snapshot, which compaction does
 * not change. Thread-safe; a few requests may wait, more are refused with TOO_MANY_REQUESTS.
 * Cancelling a future cancels the computation.
 */
public final class Hasher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hasher.class);
    private static final int WAITING_MAX = 16;
    private static final int RECENT_MAX = 1000;

    /** Hashed first, so that the hash of an empty store is not 0, as in etcd. */
    private static final byte[] PREFIX = "store".getBytes(StandardCharsets.US_ASCII);

    private final Store store;
    private final Executor background;
    private final HashSettings settings;

    /** Used by the running job. */
    private final RecentHashes recent = new RecentHashes(RECENT_MAX);

    // Guarded by this.
    private final Queue<Job<?>> waiting = new ArrayDeque<>();
    private Job<?> running;
    private boolean closed;

    /** A hasher that uses at most one thread of {@code background}, for the whole computation. */
    public Hasher(Store store, Executor background, HashSettings settings) {
        this.store = store;
        this.background = background;
        this.settings = settings;
    }

    /**
     * etcd's hash of the history up to a revision. For the compact revision it is the hash that was
     * returned before the compaction, if any ({@link RecentHashes}).
     *
     * @param revision 0: the newest; negative: the hash of no changes. Fails with COMPACTED or
     *     FUTURE_REVISION; with TIMEOUT if another node compacted all revisions that this one knows
     */
    public CompletableFuture<KvHash> history(long revision) {
        return submit(check -> history(revision, check));
    }

    /** A hash of all heads, the history, the commit log and the leases. */
    public CompletableFuture<StoreHash> everything() {
        return submit(this::everything);
    }

    /** Fails waiting and running requests with STOPPED, and refuses more. */
    @Override
    public void close() {
        List<Job<?>> left;
        synchronized (this) {
            closed = true;
            if (running != null) {
                waiting.add(running);
            }
            left = List.copyOf(waiting);
            waiting.clear();
        }
        BackendException stopped = new BackendException(ErrorKind.STOPPED);
        left.forEach(job -> job.completeExceptionally(stopped));
    }

    private KvHash history(long requested, Runnable check) throws IOException {
        while (true) {
            check.run();
            ReadPoint point = store.revisions().committed();
            long newest = point.revision();
            try (Snapshot snapshot = store.open(point);
                    ChangeSorter changes = new ChangeSorter(settings.bytesMax(), settings.file())) {
                long floor = store.floor(snapshot);
                if (floor > newest && floor <= store.revisions().committed().revision()) {
                    continue; // published meanwhile, with a newer state
                }
                if (requested > 0 && requested < floor) {
                    throw new BackendException(ErrorKind.COMPACTED);
                }
                if (requested > newest) {
                    throw new BackendException(ErrorKind.FUTURE_REVISION);
                }
                if (floor > newest) {
                    throw new BackendException(ErrorKind.TIMEOUT);
                }
                KvHash before = requested == floor ? recent.of(requested) : null;
                if (before != null) {
                    return before.at(newest);
                }
                long revision = requested == 0 ? newest : requested;
                HistoryScan scan = new HistoryScan(snapshot, store.coder(), floor, revision, check);
                int hash = new HistoryHash(revision, floor, changes).of(scan);
                KvHash computed = new KvHash(hash, revision, floor, newest);
                recent.add(computed);
                return computed;
            }
        }
    }

    private StoreHash everything(Runnable check) {
        long newest = store.revisions().committed().revision();
        KeyCoder coder = store.coder();
        CRC32C crc = new CRC32C();
        crc.update(PREFIX);
        ByteBuffer lengths = ByteBuffer.allocate(2 * Integer.BYTES);
        try (Snapshot snapshot = store.open()) {
            for (KeyRange range : List.of(coder.dataRange(), coder.log(), coder.leases())) {
                try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
                    while (cursor.next()) {
                        check.run();
                        Bytes key = cursor.key();
                        Bytes value = cursor.value();
                        lengths.clear().putInt(key.length()).putInt(value.length());
                        crc.update(lengths.flip());
                        crc.update(key.array());
                        crc.update(value.array());
                    }
                }
            }
        }
        return new StoreHash((int) crc.getValue(), newest);
    }

    private <T> CompletableFuture<T> submit(Work<T> work) {
        Job<T> job = new Job<>(work);
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new BackendException(ErrorKind.STOPPED));
            }
            waiting.removeIf(Job::isDone);
            if (waiting.size() >= WAITING_MAX) {
                return CompletableFuture.failedFuture(
                        new BackendException(ErrorKind.TOO_MANY_REQUESTS));
            }
            waiting.add(job);
            if (running == null) {
                startNext();
            }
        }
        return job;
    }

    /** Called with the lock held. */
    private void startNext() {
        running = waiting.poll();
        while (running != null) {
            try {
                Job<?> job = running;
                background.execute(() -> run(job));
                return;
            } catch (RejectedExecutionException full) {
                running.completeExceptionally(
                        new BackendException(ErrorKind.TOO_MANY_REQUESTS, full));
                running = waiting.poll();
            }
        }
    }

    private void run(Job<?> job) {
        try {
            job.run();
        } finally {
            synchronized (this) {
                startNext();
            }
        }
    }

    /** Computes a hash; blocks. */
    private interface Work<T> {
        /**
         * Computes the hash.
         *
         * @param check to be called often; throws if the request was cancelled
         */
        T run(Runnable check) throws IOException;
    }

    /**
     * The hashes that were returned last, by revision: after a compaction at a revision they are
     * still the answer for it, as in etcd, which computes one in every compaction. Lost at a
     * restart, as in etcd. About 100 bytes each; the oldest is evicted. Used by one thread.
     */
    static final class RecentHashes {
        private final int max;
        private final LinkedHashMap<Long, KvHash> hashes = new LinkedHashMap<>();

        RecentHashes(int max) {
            this.max = max;
        }

        /** Adds a hash, unless it was computed after the compaction at its revision. */
        void add(KvHash hash) {
            if (hash.compactRevision() >= hash.revision()) {
                return;
            }
            hashes.remove(hash.revision());
            hashes.put(hash.revision(), hash);
            if (hashes.size() > max) {
                hashes.remove(hashes.keySet().iterator().next());
            }
        }

        /** The hash of a revision before a compaction at it; may be null. */
        KvHash of(long revision) {
            return hashes.get(revision);
        }
    }

    private static final class Job<T> extends CompletableFuture<T> {
        private final Work<T> work;

        Job(Work<T> work) {
            this.work = work;
        }

        void run() {
            try {
                checkNotCancelled();
                complete(work.run(this::checkNotCancelled));
            } catch (BackendException | CancellationException e) {
                completeExceptionally(e);
            } catch (StorageException e) {
                completeExceptionally(new BackendException(Failures.of(e.kind()), e));
            } catch (IOException | RuntimeException e) {
                LOG.warn("hash failed", e);
                completeExceptionally(new BackendException(ErrorKind.INTERNAL, e));
            }
        }

        private void checkNotCancelled() {
            if (isDone()) {
                throw new CancellationException();
            }
        }
    }
}
