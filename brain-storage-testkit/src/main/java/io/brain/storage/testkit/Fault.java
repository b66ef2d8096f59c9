package io.brain.storage.testkit;

import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.Objects;

/**
 * What {@link FaultyStorage} does with one commit.
 *
 * @param outcome how the commit is answered, and whether the batch is applied
 * @param kind the kind of the exception in the answer; only {@link Outcome#UNAVAILABLE} and the
 *     uncertain outcomes have one
 * @param before time that passes before the batch reaches the engine
 * @param after time that passes between the engine's answer and the caller's; for {@link
 *     Outcome#UNCERTAIN_THEN_APPLIED} between the caller's answer and the late arrival at the
 *     engine
 * @param uncertainResolves how many attempts to resolve the batch are answered Uncertain as well
 */
public record Fault(
        Outcome outcome,
        StorageException.Kind kind,
        Duration before,
        Duration after,
        int uncertainResolves) {
    /** The engine's own answer, at once. */
    public static final Fault NONE = of(Outcome.NONE);

    /** How a commit ends. */
    public enum Outcome {
        /** As the engine answers. */
        NONE,
        /** Unavailable; the batch never reaches the engine. */
        UNAVAILABLE,
        /** Conflict on the primary; the batch never reaches the engine. */
        CONFLICT,
        /** Uncertain; the request got lost: the batch never lands. */
        UNCERTAIN_NOT_APPLIED,
        /** Uncertain; the answer got lost: the engine committed (or refused) the batch before. */
        UNCERTAIN_APPLIED,
        /** Uncertain; the request is still on its way, and lands later unless resolved before. */
        UNCERTAIN_THEN_APPLIED
    }

    /** Checks the parts. */
    public Fault {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(kind, "kind");
        if (before.isNegative() || after.isNegative() || uncertainResolves < 0) {
            throw new IllegalArgumentException("negative time or count");
        }
    }

    /** The given end, at once, with kind UNAVAILABLE where a kind is needed. */
    public static Fault of(Outcome outcome) {
        return new Fault(
                outcome, StorageException.Kind.UNAVAILABLE, Duration.ZERO, Duration.ZERO, 0);
    }

    /** Surely not committed, for the given reason. */
    public static Fault unavailable(StorageException.Kind kind) {
        return of(Outcome.UNAVAILABLE).withKind(kind);
    }

    /** The same with another kind of exception. */
    public Fault withKind(StorageException.Kind newKind) {
        return new Fault(outcome, newKind, before, after, uncertainResolves);
    }

    /** The same with other times. */
    public Fault delayed(Duration newBefore, Duration newAfter) {
        return new Fault(outcome, kind, newBefore, newAfter, uncertainResolves);
    }

    /** The same, with {@code attempts} to resolve in vain before the one that is answered. */
    public Fault resolvedAfter(int attempts) {
        return new Fault(outcome, kind, before, after, attempts);
    }
}
