package io.brain.backend.model;

/** An answer that holds something, which its receiver must release. */
public interface Releasable {
    /** Releases what is held. The second call does nothing. */
    void release();

    /** Releases an answer that has no receiver; {@code answer} may be null or hold nothing. */
    static void discard(Object answer) {
        if (answer instanceof Releasable held) {
            held.release();
        }
    }
}
