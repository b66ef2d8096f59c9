package io.brain.storage.testkit;

import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.Objects;

/**
 * What {@link FaultyStorage} does with one commit.
 *
 * @param outcome result of the commit, and whether the batch is applied
 * @param kind kind of the exception in the result; only {@link Outcome#UNAVAILABLE} and the
 *     uncertain outcomes have one
 * @param before delay before the batch reaches the engine
 * @param after delay of the engine's result; for {@link Outcome#UNCERTAIN_THEN_APPLIED}, delay from
 *     the caller's result until the batch reaches the engine
 * @param uncertainResolves number of attempts to resolve the batch that also return Uncertain
 */
public record Fault(
        Outcome outcome,
        StorageException.Kind kind,
        Duration before,
        Duration after,
        int uncertainResolves) {
    /** No fault and no delay. */
    public static final Fault NONE = of(Outcome.NONE);

    /** Outcome of a commit. */
    public enum Outcome {
        /** The engine's result. */
        NONE,
        /** Unavailable; the batch never reaches the engine. */
        UNAVAILABLE,
        /** Conflict on the primary; the batch never reaches the engine. */
        CONFLICT,
        /** Uncertain; the request is lost: the batch is never committed. */
        UNCERTAIN_NOT_APPLIED,
        /** Uncertain; the response is lost: the engine committed or refused the batch. */
        UNCERTAIN_APPLIED,
        /**
         * Uncertain; the request is delayed: the batch is committed later unless resolved before.
         */
        UNCERTAIN_THEN_APPLIED
    }

    /** Validates the values. */
    public Fault {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(kind, "kind");
        if (before.isNegative() || after.isNegative() || uncertainResolves < 0) {
            throw new IllegalArgumentException("negative time or count");
        }
    }

    /** An outcome without delays, with kind UNAVAILABLE where a kind is required. */
    public static Fault of(Outcome outcome) {
        return new Fault(
                outcome, StorageException.Kind.UNAVAILABLE, Duration.ZERO, Duration.ZERO, 0);
    }

    /** Definitely not committed, with the given kind. */
    public static Fault unavailable(StorageException.Kind kind) {
        return of(Outcome.UNAVAILABLE).withKind(kind);
    }

    /** A copy with another kind of exception. */
    public Fault withKind(StorageException.Kind newKind) {
        return new Fault(outcome, newKind, before, after, uncertainResolves);
    }

    /** A copy with other delays. */
    public Fault delayed(Duration newBefore, Duration newAfter) {
        return new Fault(outcome, kind, newBefore, newAfter, uncertainResolves);
    }

    /** A copy whose first {@code attempts} to resolve return Uncertain. */
    public Fault resolvedAfter(int attempts) {
        return new Fault(outcome, kind, before, after, attempts);
    }
}
