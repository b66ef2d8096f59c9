package io.brain.backend.write;

import io.brain.backend.runtime.Clock;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The batches that are not sent yet: sealed ones, and the one being filled. Assigns revisions, and
 * chains the fences: each batch expects the fence of the one before it.
 */
final class BatchQueue {
    private final KeyCoder coder;
    private final Clock clock;
    private final int logPartBytes;
    private final long batchBytesMax;
    private final Deque<CommitBatch> sealed = new ArrayDeque<>();

    /** The fence of the last committed batch; read by any thread. */
    private volatile Fence committed;

    /** The fence of the last sealed batch. */
    private Fence newest;

    private long revision;
    private CommitBatch filling;

    /** Creates a queue that continues after the stored {@code fence}. */
    BatchQueue(Store store, WriteSettings settings, Clock clock, Fence fence) {
        this.clock = clock;
        coder = store.coder();
        logPartBytes = settings.logPartBytes();
        batchBytesMax = Math.min(settings.batchBytesMax(), store.storage().batchBytesMax());
        committed = fence;
        newest = fence;
        revision = fence.revision();
        filling = new CommitBatch(fence.batch() + 1);
    }

    /** The last assigned revision. */
    long revision() {
        return revision;
    }

    /** Assigns the next revision to changes of the filling batch. */
    void assignRevision() {
        revision++;
    }

    /** The batch being filled. */
    CommitBatch filling() {
        return filling;
    }

    /** The newest batch that has to be sent; null if there is none. */
    CommitBatch newest() {
        return filling.isRequired() ? filling : sealed.peekLast();
    }

    /** False while the filling batch is full, or waits behind a sealed one. */
    boolean hasRoom() {
        return sealed.isEmpty() && filling.bytes() < batchBytesMax;
    }

    /** Starts another batch if changes of about {@code bytes} do not fit the filling one. */
    void reserve(long bytes) {
        if (filling.isRequired() && filling.bytes() + bytes > batchBytesMax) {
            seal();
        }
    }

    /** Removes the next batch to send; null if there is none. */
    CommitBatch next() {
        if (sealed.isEmpty() && filling.isRequired()) {
            seal();
        }
        return sealed.poll();
    }

    /** The fence of the last committed batch. Any thread. */
    Fence fence() {
        return committed;
    }

    void committed(CommitBatch batch) {
        committed = batch.fence();
    }

    /**
     * Discards everything after the last committed batch. The revisions are assigned again, because
     * no client saw them; batch numbers are not, because they identify batches.
     *
     * @return the discarded batches, oldest first
     */
    List<CommitBatch> discard() {
        List<CommitBatch> discarded = new ArrayList<>(sealed);
        discarded.add(filling);
        sealed.clear();
        newest = committed;
        revision = committed.revision();
        filling = new CommitBatch(filling.number() + 1);
        return discarded;
    }

    private void seal() {
        filling.seal(coder, newest, revision, logPartBytes, clock.unixMillis());
        newest = filling.fence();
        sealed.add(filling);
        filling = new CommitBatch(filling.number() + 1);
    }
}
