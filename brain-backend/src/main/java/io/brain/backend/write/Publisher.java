package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.revision.CommitListener;
import io.brain.backend.revision.ReadPoint;
import io.brain.backend.revision.Revisions;
import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * Makes a durable batch visible, in the one order that is safe: events, committed revision,
 * watchers woken, what proposals hung on it, answers.
 *
 * <p>Runs on the sequencer thread, after the next batch was sent: what it costs per request (a few
 * microseconds) overlaps with the engine's work on that batch, and no second thread has to be woken
 * or kept in order. What is slow, answers that read the store, goes to the readers.
 */
final class Publisher {
    /**
     * The readers' queue was full: how long such an answer waits before it is handed over again.
     */
    private static final Duration READERS_FULL_PAUSE = Duration.ofMillis(10);

    private final Revisions revisions;
    private final CommitListener listener;
    private final BackendRuntime runtime;
    private final Mailbox mailbox;

    Publisher(
            Revisions revisions, CommitListener listener, BackendRuntime runtime, Mailbox mailbox) {
        this.revisions = revisions;
        this.listener = listener;
        this.runtime = runtime;
        this.mailbox = mailbox;
    }

    /** Tells of a durable batch; its requests are not answered yet. */
    void publish(CommitBatch batch, long timestamp) {
        batch.events().forEach(listener::events);
        ReadPoint point = new ReadPoint(batch.fence().revision(), timestamp);
        revisions.publish(point);
        listener.committed(point);
        batch.publications().forEach(Runnable::run);
    }

    /** Sends the answer of a request, or has it made and sent by a reader. */
    void answer(Request<?> request) {
        if (!request.isAnsweredAfterwards()) {
            mailbox.answered(request);
            request.complete();
            return;
        }
        try {
            runtime.readers()
                    .execute(
                            () -> {
                                mailbox.answered(request);
                                request.complete();
                            });
        } catch (RejectedExecutionException full) {
            runtime.scheduler()
                    .schedule(READERS_FULL_PAUSE, runtime.sequencer(), () -> answer(request));
        }
    }

    /** Ends a request with an error, whatever it was going to answer. */
    void fail(Request<?> request, BackendException cause) {
        mailbox.answered(request);
        request.fail(cause);
    }
}
