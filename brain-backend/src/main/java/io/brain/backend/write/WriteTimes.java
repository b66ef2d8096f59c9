package io.brain.backend.write;

import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.Clock;

/**
 * Tells a listener how long the stages of the write path take. Sequencer thread, but for {@link
 * #answered}.
 */
final class WriteTimes {
    private final Clock clock;
    private final BackendListener listener;

    /** When the round at work began. */
    private long roundBegan;

    /** When the batch on its way was sent first. */
    private long sent;

    /** When the last batch that landed was known to. */
    private long landed;

    WriteTimes(Clock clock, BackendListener listener) {
        this.clock = clock;
        this.listener = listener;
    }

    BackendListener listener() {
        return listener;
    }

    void roundBegins() {
        roundBegan = clock.nanos();
    }

    void taken(Request<?> request) {
        listener.writeQueued(roundBegan - request.since());
    }

    void roundEnds(int evaluated, PendingState.Lookups lookups) {
        listener.writesEvaluated(evaluated, clock.nanos() - roundBegan);
        listener.recordsLookedUp(lookups.inMemory(), lookups.fetched(), lookups.read());
    }

    void sent(CommitBatch batch) {
        sent = clock.nanos();
        listener.batchSent(batch.requests().size(), batch.bytes(), batch.fence().revision());
    }

    void committed() {
        landed = clock.nanos();
        listener.batchCommitted(landed - sent);
    }

    void published() {
        listener.batchPublished(clock.nanos() - landed);
    }

    /** Any thread. */
    void answered(Request<?> request) {
        listener.writeAnswered(clock.nanos() - request.since());
    }
}
