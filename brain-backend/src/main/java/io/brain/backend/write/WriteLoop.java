package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.store.Fence;
import io.brain.storage.StorageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What happens on the sequencer thread: proposals are evaluated, batches sent, their ends dealt
 * with. Touched by no other thread.
 */
final class WriteLoop implements GroupCommitter.Ends {
    private final PendingState tip;
    private final TxnApplier turns;
    private final SpanPrefetcher ahead;
    private final BatchQueue batches;
    private final GroupCommitter committer;
    private final Publisher publisher;
    private final Leadership leadership;

    /** Requests that were taken in and not evaluated to the end yet, oldest first. */
    private final Deque<Request<?>> taken = new ArrayDeque<>();

    /** Why everything is refused; null as long as the loop works. Read by any thread. */
    private volatile BackendException ended;

    /** A batch that is not on its way any more, but whose requests are not answered yet. */
    private CommitBatch ending;

    WriteLoop(
            TxnApplier turns,
            SpanPrefetcher ahead,
            BatchQueue batches,
            GroupCommitter committer,
            Publisher publisher,
            Leadership leadership) {
        this.tip = turns.tip();
        this.turns = turns;
        this.ahead = ahead;
        this.batches = batches;
        this.committer = committer;
        this.publisher = publisher;
        this.leadership = leadership;
    }

    /** True if proposals can be evaluated: the filling batch is not full. */
    boolean hasRoom() {
        return batches.hasRoom();
    }

    /** True if an answer of the engine is awaited. */
    boolean isCommitting() {
        return committer.flying() != null;
    }

    /** True if requests were taken in and not evaluated yet. */
    boolean hasTaken() {
        return !taken.isEmpty();
    }

    /** True if a further {@link #run} would get on without anything new. */
    boolean canGoOn() {
        return (hasTaken() || ahead.ready() != null) && hasRoom();
    }

    /** Why everything is refused; null as long as the loop works. Any thread. */
    BackendException ended() {
        return ended;
    }

    /** What the last batch that landed left under the fence's key. Any thread. */
    Fence fence() {
        return batches.fence();
    }

    /** Takes a request in; one that comes too late fails. */
    void take(Request<?> request) {
        if (ended != null) {
            publisher.fail(request, ended);
            return;
        }
        taken.add(request);
        request.proposal().nameKeys(tip::name);
    }

    /**
     * Evaluates what was taken in, as far as there is room.
     *
     * @return how many requests were evaluated
     */
    int run() {
        prefetch();
        int evaluated = 0;
        if (ahead.ready() != null && batches.hasRoom()) {
            if (evaluate(ahead.ready())) {
                ahead.evaluated();
            }
            evaluated++;
        }
        while (!taken.isEmpty() && batches.hasRoom()) {
            evaluate(taken.peek());
            taken.poll();
            evaluated++;
        }
        tip.releaseSnapshot();
        return evaluated;
    }

    /**
     * Sends a batch if none is out and something is to be sent.
     *
     * @param idle true if nothing else is known that this thread could do meanwhile
     */
    void send(boolean idle) {
        if (!isCommitting()) {
            CommitBatch next = batches.next();
            if (next != null) {
                committer.send(next, idle, this);
            }
        }
    }

    @Override
    public void committed(CommitBatch batch, long timestamp) {
        ending = batch;
        batch.landed();
        batches.landed(batch);
        send(false);
        publisher.publish(batch, timestamp);
        tip.release(batch);
        ending = null;
        publisher.answer(batch);
    }

    @Override
    public void refused(CommitBatch batch, StorageException cause) {
        BackendException own = Failures.of(cause);
        boolean noSpace = own.kind() == ErrorKind.NO_SPACE;
        // What came behind a batch that was too large did nothing wrong, and can be tried again.
        BackendException later = noSpace ? own : new BackendException(ErrorKind.TOO_MANY_REQUESTS);
        ending = batch;
        List<CommitBatch> behind = batches.giveUp();
        for (int i = behind.size() - 1; i >= 0; i--) {
            behind.get(i).undo();
        }
        batch.undo();
        tip.clear();
        ending = null;
        batch.requests().forEach(request -> publisher.fail(request, own));
        behind.forEach(one -> one.requests().forEach(request -> publisher.fail(request, later)));
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

    /** Fails everything that is pending, and whatever comes later. The first reason stands. */
    void end(BackendException why) {
        if (ended != null) {
            return;
        }
        ended = why;
        List<CommitBatch> pending = new ArrayList<>();
        if (ending != null) {
            pending.add(ending);
        }
        if (isCommitting()) {
            pending.add(committer.flying());
        }
        committer.stop();
        pending.addAll(batches.giveUp());
        ending = null;
        tip.clear();
        for (CommitBatch batch : pending) {
            batch.requests().forEach(request -> publisher.fail(request, why));
        }
        taken.forEach(request -> publisher.fail(request, why));
        taken.clear();
        ahead.giveUp().forEach(request -> publisher.fail(request, why));
        for (int i = pending.size() - 1; i >= 0; i--) {
            pending.get(i).undo();
        }
    }

    private void prefetch() {
        try {
            tip.fetchNamed();
        } catch (StorageException unreadable) {
            // Only a hint: whoever needs a record asks for it again, and fails by itself.
            tip.releaseSnapshot();
        }
    }

    /** Evaluates a request; false if it now waits for a walk over a wide span. */
    private boolean evaluate(Request<?> request) {
        BufferedTxnContext turn = begin(request);
        try {
            request.evaluate(turn);
        } catch (WideSpan wide) {
            turn.rollBack();
            ahead.add(request, wide);
            return false;
        } catch (RuntimeException cause) {
            turn.rollBack();
            request.fails(Failures.of(cause));
            turn = begin(request);
        }
        if (turn.hasChanges()) {
            batches.makeRoom(turn.bytes());
            turns.write(turn, batches.filling());
            if (!turn.changes().isEmpty()) {
                batches.dealRevision();
            }
        }
        CommitBatch last = lastPending();
        if (last == null) {
            turn.publications().forEach(Runnable::run);
            publisher.answer(request);
        } else {
            last.publications(turn.publications());
            last.undos(turn.undos());
            last.answers(request);
        }
        return true;
    }

    private BufferedTxnContext begin(Request<?> request) {
        return turns.begin(batches.revision(), ahead.walksOf(request), request.walksInPlace());
    }

    /** The batch that must be published before what is decided now may leave; null if none. */
    private CommitBatch lastPending() {
        if (!leadership.isSure()) {
            batches.filling().need();
        }
        CommitBatch newest = batches.newest();
        return newest != null ? newest : committer.flying();
    }
}
