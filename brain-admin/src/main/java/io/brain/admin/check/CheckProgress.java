package io.brain.admin.check;

/** Told now and then how far a check is, in the thread that does it. */
@FunctionalInterface
public interface CheckProgress {
    /** Told and forgotten. */
    CheckProgress NONE = (what, part) -> {};

    /**
     * It is so far.
     *
     * @param what is being read
     * @param part of that, from 0 to 1; guessed from what the store says of itself
     */
    void at(String what, double part);
}
