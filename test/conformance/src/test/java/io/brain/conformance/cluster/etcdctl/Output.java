package io.brain.conformance.cluster.etcdctl;

/** What a command printed, and how it ended. */
record Output(int exitCode, String standard, String error) {}
