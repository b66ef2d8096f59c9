package io.brain.backend.hash;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.store.CompactRecord;
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
 * Makes hashes of the store, one after the other, each from one engine snapshot: what is compacted
 * meanwhile stays in it. Thread-safe; a few may wait, more get TOO_MANY_REQUESTS. Cancelling a
 * future that is not needed any more stops the work.
 */
public final class Hasher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hasher.class);
    private static final int WAITING_MAX = 16;
    private static final int GIVEN_MAX = 1000;

    /** What the hash of a store begins with: that of an empty one is not 0, as etcd's is not. */
    private static final byte[] STORE = "store".getBytes(StandardCharsets.US_ASCII);

    private final Store store;
    private final Executor background;
    private final HashSettings settings;

    /** Used by the job that runs. */
    private final GivenHashes given = new GivenHashes(GIVEN_MAX);

    // Guarded by this.
    private final Queue<Job<?>> waiting = new ArrayDeque<>();
    private Job<?> running;
    private boolean closed;

    /**
     * A hasher of one store.
     *
     * @param background where the work is done; blocks a thread of it for as long as it takes
     */
    public Hasher(Store store, Executor background, HashSettings settings) {
        this.store = store;
        this.background = background;
        this.settings = settings;
    }

    /**
     * The hash that etcd makes of the same history. Asked for the compacted revision, it is the one
     * that was given before the compaction, if it is still held ({@link GivenHashes}).
     *
     * @param revision up to where; 0: up to the newest; of what is before the store began the hash
     *     of nothing. COMPACTED or FUTURE_REVISION if there is no such state
     */
    public CompletableFuture<KvHash> history(long revision) {
        return submit(check -> history(revision, check));
    }

    /** A hash of all keys' records, the commit log and the leases, byte for byte. */
    public CompletableFuture<StoreHash> everything() {
        return submit(this::everything);
    }

    /** Ends what waits and what runs with STOPPED; refuses more. */
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
        left.forEach(job -> job.answer.completeExceptionally(stopped));
    }

    private KvHash history(long asked, Runnable check) throws IOException {
        while (true) {
            check.run();
            ReadPoint point = store.revisions().committed();
            long newest = point.revision();
            try (Snapshot snapshot = store.open(point);
                    ChangeSorter changes = new ChangeSorter(settings)) {
                Bytes record = snapshot.get(store.coder().compactKey());
                // A snapshot at a timestamp is whole from its own floor on; of the newest state, a
                // floor that is not published has not removed anything yet.
                long stored = CompactRecord.decode(record).floor();
                long floor =
                        store.readsAtTimestamps()
                                ? stored
                                : Math.min(stored, store.revisions().floor());
                if (floor > newest) {
                    continue; // published since, and with it a newer state
                }
                if (asked > 0 && asked < floor) {
                    throw new BackendException(ErrorKind.COMPACTED);
                }
                if (asked > newest) {
                    throw new BackendException(ErrorKind.FUTURE_REVISION);
                }
                KvHash before = asked == floor ? given.of(asked) : null;
                if (before != null) {
                    return before.at(newest);
                }
                long revision = asked == 0 ? newest : asked;
                int hash =
                        new HistoryHash(store.coder(), revision, floor, changes, check)
                                .of(snapshot);
                KvHash made = new KvHash(hash, revision, floor, newest);
                given.add(made);
                return made;
            }
        }
    }

    private StoreHash everything(Runnable check) {
        long newest = store.revisions().committed().revision();
        KeyCoder coder = store.coder();
        CRC32C crc = new CRC32C();
        crc.update(STORE);
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
            waiting.removeIf(other -> other.answer.isDone());
            if (waiting.size() >= WAITING_MAX) {
                return CompletableFuture.failedFuture(
                        new BackendException(ErrorKind.TOO_MANY_REQUESTS));
            }
            waiting.add(job);
            if (running == null) {
                startNext();
            }
        }
        return job.answer;
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
                running.answer.completeExceptionally(
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

    /** Makes a hash; blocks. */
    private interface Work<T> {
        /**
         * Does it.
         *
         * @param check to be called again and again: throws when nobody waits for the answer
         */
        T with(Runnable check) throws IOException;
    }

    private static final class Job<T> {
        private final Work<T> work;
        private final CompletableFuture<T> answer = new CompletableFuture<>();

        Job(Work<T> work) {
            this.work = work;
        }

        void run() {
            try {
                checkWanted();
                answer.complete(work.with(this::checkWanted));
            } catch (BackendException | CancellationException e) {
                answer.completeExceptionally(e);
            } catch (StorageException e) {
                answer.completeExceptionally(new BackendException(Failures.of(e.kind()), e));
            } catch (IOException | RuntimeException e) {
                LOG.warn("the store could not be hashed", e);
                answer.completeExceptionally(new BackendException(ErrorKind.INTERNAL, e));
            }
        }

        private void checkWanted() {
            if (answer.isDone()) {
                throw new CancellationException("nobody waits for the hash");
            }
        }
    }
}
