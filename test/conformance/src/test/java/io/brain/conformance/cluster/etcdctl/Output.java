package io.brain.conformance.cluster.etcdctl;

/** What a command printed, and how it ended. */
record Output(int exitCode, String standard, String error) {

    /** The exit code and all lines, those of the standard output first. */
    @Override
    public String toString() {
        return exitCode + ": " + standard + error;
    }
}
