package io.brain.conformance.cluster.durability;

import java.util.Optional;

/**
 * A write that was sent, and what came back.
 *
 * @param answer empty when the server was killed before it answered: the write may have happened
 */
record Attempt(Write write, Optional<Answer> answer) {

    /**
     * An acknowledgement.
     *
     * @param revision the write's own revision if it changed something; of a revoke, any revision
     *     at or after its own, as the protocol says no more
     * @param changed false for a failed compare or a delete of nothing: such a write has no
     *     revision
     */
    record Answer(long revision, boolean changed) {}

    static Attempt acknowledged(Write write, long revision) {
        return new Attempt(write, Optional.of(new Answer(revision, true)));
    }

    static Attempt withoutEffect(Write write, long revision) {
        return new Attempt(write, Optional.of(new Answer(revision, false)));
    }

    static Attempt unknown(Write write) {
        return new Attempt(write, Optional.empty());
    }

    boolean isAcknowledgedChange() {
        return answer.isPresent() && answer.get().changed();
    }
}
