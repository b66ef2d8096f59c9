package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import java.io.IOException;

/** A kind of load at one size. */
public interface Shape {

    /** The kind, such as {@code create}. */
    String kind();

    /** Unit of the size, such as {@code clients}. */
    String axis();

    /** The size. */
    long size();

    /** Unit of the costs, such as {@code op}. */
    default String unit() {
        return "op";
    }

    /** Name in a table. */
    default String label() {
        return kind() + ", " + size() + ' ' + axis();
    }

    /** False if the load is not part of the warm-up round. */
    default boolean warmsUp() {
        return true;
    }

    /**
     * Runs the load on a server for a stretch, after writing the data it needs.
     *
     * @throws IOException if the server ended, or does not answer
     */
    Measurement measure(Target target) throws IOException, InterruptedException;
}
