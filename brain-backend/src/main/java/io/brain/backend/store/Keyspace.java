package io.brain.backend.store;

import io.brain.storage.Bytes;

/** Key prefixes that separate clusters sharing one storage; none is a prefix of another. */
public final class Keyspace {
    private static final String END = "/";

    private Keyspace() {}

    /**
     * The prefix of a cluster's keys.
     *
     * @param name without a slash; empty: no prefix
     */
    public static Bytes prefix(String name) {
        if (name.contains(END)) {
            throw new IllegalArgumentException("keyspace name contains a slash: " + name);
        }
        return name.isEmpty() ? Bytes.EMPTY : Bytes.utf8(name + END);
    }
}
