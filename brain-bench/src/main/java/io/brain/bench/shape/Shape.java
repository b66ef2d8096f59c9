package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import java.io.IOException;

/** A kind of load at one size. */
public interface Shape {

    /** The kind, such as {@code create}. */
    String kind();

    /** What the size counts, such as {@code clients}. */
    String axis();

    /** How much of it. */
    long size();

    /** What the costs are per, such as {@code op}. */
    default String unit() {
        return "op";
    }

    /** For a row of a table. */
    default String label() {
        return kind() + ", " + size() + ' ' + axis();
    }

    /** False if a round that does not count would be of no use. */
    default boolean warmsUp() {
        return true;
    }

    /**
     * Puts the load on a server for a stretch; what it needs there is made before, off the clock.
     *
     * @throws IOException if the server or its process is gone, or does not answer any more
     */
    Measurement measure(Target target) throws IOException, InterruptedException;
}
