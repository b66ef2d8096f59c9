package io.brain.backend.write;

import io.brain.backend.model.ErrorKind;

/** The leadership that a {@link Sequencer} writes under. Called on the sequencer thread. */
public interface Leadership {
    /**
     * True if nobody else can have become leader by now. If not, an answer that needs no batch of
     * its own waits for one that proves it: the next batch, which holds the fence alone if need be.
     */
    boolean isSure();

    /**
     * The sequencer ended: another leader holds the fence (LEADER_CHANGED), or the storage failed
     * for good. Everything that was pending has been answered with {@code why}. Told once, and not
     * after {@link Sequencer#close}.
     *
     * @param cause what failed; null if the fence was lost
     */
    void lost(ErrorKind why, Throwable cause);

    /** A batch found no space and was given up; writes go on being tried. */
    void outOfSpace();
}
