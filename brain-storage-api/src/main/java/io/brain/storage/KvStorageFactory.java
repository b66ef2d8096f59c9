package io.brain.storage;

import java.util.Map;

/**
 * Opens an engine by name; found by {@link java.util.ServiceLoader}, so that the server names no
 * engine's classes.
 */
public interface KvStorageFactory {
    /** The name that selects this engine, e.g. {@code rocksdb}. */
    String name();

    /** The options this engine understands, each with a line of help. */
    Map<String, String> options();

    /**
     * Opens the store, creating it if it does not exist.
     *
     * @param options by name; {@code data-dir} is always there for engines that keep files
     * @throws StorageException kind REFUSED (locked, other format), CORRUPT, NO_SPACE or
     *     UNAVAILABLE, with a message that tells an operator in one line what to do
     * @throws IllegalArgumentException for an option that is unknown or out of its range
     */
    KvStorage open(Map<String, String> options);

    /**
     * Opens a store that exists, for reading alone: nothing of it is changed. An engine whose
     * opening changes nothing opens it as always.
     *
     * @param options as for {@link #open}
     * @return commits to it are refused, or must not be tried
     * @throws StorageException as {@link #open} does; kind REFUSED also if there is no store
     * @throws IllegalArgumentException for an option that is unknown or out of its range
     */
    default KvStorage openReadOnly(Map<String, String> options) {
        return open(options);
    }
}
