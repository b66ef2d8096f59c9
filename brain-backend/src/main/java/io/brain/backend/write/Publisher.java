package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;

/**
 * Makes a durable batch visible, in the one order that is safe: events, committed revision,
 * watchers woken, what proposals hung on it, answers.
 *
 * <p>Runs on the sequencer thread, after the next batch was sent: what it costs per request (a few
 * microseconds) overlaps with the engine's work on that batch, and no second thread has to be woken
 * or kept in order. What is slow, answers that read the store, is made elsewhere.
 */
final class Publisher {
    private final Revisions revisions;
    private final CommitListener listener;
    private final RequestQueue mailbox;
    private final WriteTimes times;

    Publisher(
            Revisions revisions, CommitListener listener, RequestQueue mailbox, WriteTimes times) {
        this.revisions = revisions;
        this.listener = listener;
        this.mailbox = mailbox;
        this.times = times;
    }

    /** Tells of a durable batch; its requests are not answered yet. */
    void publish(CommitBatch batch, long timestamp) {
        batch.events().forEach(listener::events);
        ReadPoint point = new ReadPoint(batch.fence().revision(), timestamp);
        revisions.publish(point);
        listener.committed(point);
        batch.publications().forEach(Runnable::run);
    }

    /** Sends the answers that waited for a batch, which is published. */
    void answer(CommitBatch batch) {
        batch.requests().forEach(this::answer);
        times.published();
    }

    /** Sends the answer of a request, or has it made and sent. */
    void answer(Request<?> request) {
        request.complete(
                () -> {
                    mailbox.answered(request);
                    times.answered(request);
                });
    }

    /** Ends a request with an error, whatever it was going to answer. */
    void fail(Request<?> request, BackendException cause) {
        mailbox.answered(request);
        request.fail(cause);
    }
}
