package io.brain.transfer.etcd;

/** Receives the progress of long work, often. */
@FunctionalInterface
public interface StepListener {
    /**
     * A part of a step is done.
     *
     * @param step name of the step, in few letters
     * @param done bytes
     * @param total bytes; an estimate that {@code done} may exceed
     */
    void progress(String step, long done, long total);
}
