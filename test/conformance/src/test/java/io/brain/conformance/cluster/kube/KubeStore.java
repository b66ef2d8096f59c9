package io.brain.conformance.cluster.kube;

/** What a kube-apiserver keeps its objects in. */
interface KubeStore extends AutoCloseable {

    /** What the kube-apiserver is told: one URL or several, with commas between. */
    String urls();

    /** HOST:PORT for whoever wants to look past the kube-apiserver. */
    String target();

    /** {@code kill -9} of the server, or of the one of several that leads. */
    void kill() throws Exception;

    /** Starts again what was killed, and returns when it serves. */
    void start() throws Exception;

    @Override
    void close();
}
