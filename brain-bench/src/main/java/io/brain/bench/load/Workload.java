package io.brain.bench.load;

/** A load on a server. Confined to the client's event loop. */
public interface Workload {

    /** Starts the load. */
    void start();

    /** Starts no new operations. */
    void stop();

    /** True if no operation is running, and none will start. */
    boolean isDone();

    /** Records completed operations. */
    Recorder recorder();
}
