package io.brain.backend.store;

import io.brain.storage.Bytes;

/**
 * Parts of a store that several clusters share. Each has a name, and its keys begin with it, so
 * that no cluster sees another's: no prefix is the beginning of another one.
 */
public final class Keyspace {
    /** No character of a name. */
    private static final String END = "/";

    private Keyspace() {}

    /**
     * What all keys of a cluster begin with.
     *
     * @param name without a slash; empty: the one cluster without a name, and without a prefix
     */
    public static Bytes prefix(String name) {
        if (name.contains(END)) {
            throw new IllegalArgumentException("a keyspace's name with a slash: " + name);
        }
        return name.isEmpty() ? Bytes.EMPTY : Bytes.utf8(name + END);
    }
}
