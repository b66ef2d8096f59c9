package io.brain.bench.load;

/** Load that can be put on a server. All its methods belong to the client's event loop. */
public interface Workload {

    /** Begins. */
    void start();

    /** Begins no new operations. */
    void stop();

    /** True if nothing is under way, and nothing will be: it was stopped or has nothing left. */
    boolean isDone();

    /** Counts what ends. */
    Recorder recorder();
}
