package io.brain.backend.write;

import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The batches that are not on their way yet: the one that fills, and sealed ones behind which it
 * fills. Keeps the chain of fences: each batch expects what the one before it leaves.
 */
final class BatchQueue {
    private final KeyCoder coder;
    private final WriteSettings settings;
    private final long batchBytesMax;
    private final Deque<CommitBatch> sealed = new ArrayDeque<>();

    /** What the last batch that landed left under the fence's key; read by any thread. */
    private volatile Fence landed;

    /** What the last sealed batch will leave there. */
    private Fence dealt;

    private long revision;
    private CommitBatch filling;

    /**
     * Nothing is on its way.
     *
     * @param fence what is stored under the fence's key
     */
    BatchQueue(Store store, WriteSettings settings, Fence fence) {
        coder = store.coder();
        this.settings = settings;
        batchBytesMax = Math.min(settings.batchBytesMax(), store.storage().batchBytesMax());
        landed = fence;
        dealt = fence;
        revision = fence.revision();
        filling = new CommitBatch(fence.batch() + 1);
    }

    /** The tip's revision: the last one dealt. */
    long revision() {
        return revision;
    }

    /** The filling batch took in changes of the next revision. */
    void dealRevision() {
        revision++;
    }

    /** The batch that takes in what is decided now. */
    CommitBatch filling() {
        return filling;
    }

    /** The newest batch that has to reach the engine; null if nothing is to be sent. */
    CommitBatch newest() {
        return filling.isNeeded() ? filling : sealed.peekLast();
    }

    /** True if more may be evaluated. */
    boolean hasRoom() {
        return sealed.isEmpty() && filling.bytes() < batchBytesMax;
    }

    /** Has a turn of about {@code bytes} go into a new batch, if it does not fit any more. */
    void makeRoom(long bytes) {
        if (filling.isNeeded() && filling.bytes() + bytes > batchBytesMax) {
            seal();
        }
    }

    /** The next batch to send, taken out; null if there is none. */
    CommitBatch next() {
        if (sealed.isEmpty() && filling.isNeeded()) {
            seal();
        }
        return sealed.poll();
    }

    /** What the last batch that landed left under the fence's key. Any thread. */
    Fence fence() {
        return landed;
    }

    /** A batch landed. */
    void landed(CommitBatch batch) {
        landed = batch.fence();
    }

    /**
     * Nothing behind the last batch that landed ever will: its revisions were seen by nobody and
     * are dealt again. Batch numbers are not: they tell every batch apart.
     *
     * @return the batches that were here, oldest first
     */
    List<CommitBatch> giveUp() {
        List<CommitBatch> lost = new ArrayList<>(sealed);
        lost.add(filling);
        sealed.clear();
        dealt = landed;
        revision = landed.revision();
        filling = new CommitBatch(filling.number() + 1);
        return lost;
    }

    private void seal() {
        filling.seal(coder, dealt, revision, settings.logPartBytes());
        dealt = filling.fence();
        sealed.add(filling);
        filling = new CommitBatch(filling.number() + 1);
    }
}
