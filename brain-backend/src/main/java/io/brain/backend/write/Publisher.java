package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;

/**
 * Publishes a durable batch in the only safe order: events, committed revision, wake-up of
 * watchers, actions of its proposals, answers.
 *
 * <p>Runs on the sequencer thread after the next batch was sent, so it costs little time and needs
 * no locks. Answers that read the store are made on other threads.
 */
final class Publisher {
    private final Revisions revisions;
    private final CommitListener listener;
    private final RequestQueue queue;
    private final BackendRuntime runtime;

    Publisher(
            Revisions revisions,
            CommitListener listener,
            RequestQueue queue,
            BackendRuntime runtime) {
        this.revisions = revisions;
        this.listener = listener;
        this.queue = queue;
        this.runtime = runtime;
    }

    /** Publishes a batch; {@link #answer(CommitBatch)} follows. */
    void publish(CommitBatch batch, long timestamp) {
        batch.events().forEach(listener::events);
        revisions.publish(new ReadPoint(batch.fence().revision(), timestamp));
        batch.publications().forEach(Runnable::run);
    }

    /** Answers the requests of a published batch. */
    void answer(CommitBatch batch) {
        batch.requests().forEach(this::answer);
    }

    /** Sends the answer of a request, or starts the read that makes it. */
    void answer(Request<?> request) {
        request.complete(
                () -> {
                    queue.release(request);
                    runtime.listener().writeAnswered(runtime.clock().nanos() - request.submitted());
                });
    }

    /** Fails a request, whether it was evaluated or not. */
    void fail(Request<?> request, BackendException cause) {
        queue.release(request);
        request.fail(cause);
    }
}
