package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.store.Fence;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The steps of the sequencer: takes requests, evaluates them, sends batches and handles their
 * outcomes. Sequencer thread only.
 */
final class WriteLoop implements GroupCommitter.Outcomes {
    private final PendingState pending;
    private final TxnApplier applier;
    private final BatchQueue batches;
    private final GroupCommitter committer;
    private final Publisher publisher;
    private final Sequencer.Leadership leadership;

    /** Requests that are not evaluated yet, oldest first. */
    private final Deque<Request<?>> taken = new ArrayDeque<>();

    /** Keys that they will probably read. */
    private final Set<Bytes> keys = new LinkedHashSet<>();

    /** Error of all requests after the end; null until then. Read by any thread. */
    private volatile BackendException ended;

    /** A batch that has an outcome, but whose requests are not answered yet. */
    private CommitBatch finishing;

    WriteLoop(
            PendingState pending,
            TxnApplier applier,
            BatchQueue batches,
            GroupCommitter committer,
            Publisher publisher,
            Sequencer.Leadership leadership) {
        this.pending = pending;
        this.applier = applier;
        this.batches = batches;
        this.committer = committer;
        this.publisher = publisher;
        this.leadership = leadership;
    }

    /** Null until the end. Any thread. */
    BackendException ended() {
        return ended;
    }

    /** The fence of the last committed batch. Any thread. */
    Fence fence() {
        return batches.fence();
    }

    /** As {@link GroupCommitter#batchNanos}. Any thread. */
    long batchNanos() {
        return committer.batchNanos();
    }

    /** False while the batches that wait are full. */
    boolean hasRoom() {
        return batches.hasRoom();
    }

    /** True while a batch is in flight. */
    boolean isCommitting() {
        return committer.inFlight() != null;
    }

    /** True if nothing is open: no request, and no batch in flight or to send. */
    boolean isIdle() {
        return ended != null || (taken.isEmpty() && !isCommitting() && batches.newest() == null);
    }

    /** True if {@link #take} may be called; after the end it fails requests. */
    boolean accepts() {
        return ended != null || (taken.isEmpty() && hasRoom());
    }

    /** True if {@link #evaluate} would make progress. */
    boolean canEvaluate() {
        return !taken.isEmpty() && hasRoom();
    }

    void take(Request<?> request) {
        if (ended != null) {
            publisher.fail(request, ended);
            return;
        }
        taken.add(request);
        request.proposal().collectKeys(keys::add);
    }

    /** Evaluates taken requests while there is room; returns their number. */
    int evaluate() {
        fetchHeads();
        int evaluated = 0;
        while (canEvaluate()) {
            evaluate(taken.peek());
            taken.poll();
            evaluated++;
        }
        pending.closeSnapshot();
        return evaluated;
    }

    private void fetchHeads() {
        try {
            pending.fetch(keys);
        } catch (StorageException unreadable) {
            // A request that needs one of the heads reads it again, and fails alone.
            pending.closeSnapshot();
        } finally {
            keys.clear();
        }
    }

    private void evaluate(Request<?> request) {
        BufferedTxnContext context = applier.newContext(batches.revision());
        try {
            request.evaluate(context);
        } catch (RuntimeException cause) {
            context.undo();
            request.evaluationFailed(Failures.of(cause));
            context = applier.newContext(batches.revision());
        }
        if (context.hasChanges()) {
            batches.reserve(context.batchBytes());
            applier.apply(context, batches.filling());
            if (!context.changes().isEmpty()) {
                batches.assignRevision();
            }
        }
        CommitBatch dependsOn = newestBatch();
        if (dependsOn == null) {
            context.publications().forEach(Runnable::run);
            publisher.answer(request);
        } else {
            dependsOn.add(request, context.publications(), context.undos());
        }
    }

    /** The batch whose publication proves what was evaluated until now; null if nothing is open. */
    private CommitBatch newestBatch() {
        if (!leadership.isSure()) {
            batches.filling().require();
        }
        CommitBatch newest = batches.newest();
        return newest != null ? newest : committer.inFlight();
    }

    /** Sends the next batch, if there is one and none is in flight. */
    void send() {
        if (!isCommitting()) {
            CommitBatch next = batches.next();
            if (next != null) {
                committer.send(next, this);
            }
        }
    }

    @Override
    public void committed(CommitBatch batch, long timestamp) {
        finishing = batch;
        batch.dropUndos();
        batches.committed(batch);
        send();
        publisher.publish(batch, timestamp);
        pending.published(batch);
        finishing = null;
        publisher.answer(batch);
    }

    @Override
    public void refused(CommitBatch batch, StorageException cause) {
        BackendException failure = Failures.of(cause);
        boolean noSpace = failure.kind() == ErrorKind.NO_SPACE;
        // Requests behind a batch that was too large may be repeated.
        BackendException later =
                noSpace ? failure : new BackendException(ErrorKind.TOO_MANY_REQUESTS);
        finishing = batch;
        List<CommitBatch> behind = batches.discard();
        undo(behind);
        batch.undo();
        pending.clear();
        finishing = null;
        fail(List.of(batch), failure);
        fail(behind, later);
        if (noSpace) {
            leadership.outOfSpace();
        }
    }

    @Override
    public void lost(ErrorKind why, Throwable cause) {
        if (ended == null) {
            end(new BackendException(why));
            leadership.lost(why, cause);
        }
    }

    /** Fails all pending and later requests. Only the first call counts. */
    void end(BackendException why) {
        if (ended != null) {
            return;
        }
        ended = why;
        List<CommitBatch> open = new ArrayList<>();
        if (finishing != null) {
            open.add(finishing);
        }
        if (isCommitting()) {
            open.add(committer.inFlight());
        }
        committer.abandon();
        open.addAll(batches.discard());
        finishing = null;
        pending.clear();
        fail(open, why);
        taken.forEach(request -> publisher.fail(request, why));
        taken.clear();
        undo(open);
    }

    private void fail(List<CommitBatch> failed, BackendException why) {
        for (CommitBatch batch : failed) {
            batch.requests().forEach(request -> publisher.fail(request, why));
        }
    }

    private static void undo(List<CommitBatch> failed) {
        for (int i = failed.size() - 1; i >= 0; i--) {
            failed.get(i).undo();
        }
    }
}
