package io.brain.backend.cluster.election;

import io.brain.backend.model.ErrorKind;

/** Who holds the leadership that a term lives for. */
interface Holder {
    /** True if nobody else can have become leader by now. Any thread. */
    boolean isSure();

    /**
     * The term's writer has ended by itself. Called on the sequencer thread.
     *
     * @param cause may be null
     */
    void lost(ErrorKind why, Throwable cause);
}
