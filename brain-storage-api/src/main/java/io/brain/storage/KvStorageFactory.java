package io.brain.storage;

import java.util.Map;

/**
 * Opens an engine by name. Found by {@link java.util.ServiceLoader}, so that the server does not
 * depend on engines.
 */
public interface KvStorageFactory {
    /** The name that selects this engine, e.g. {@code rocksdb}. */
    String name();

    /** The options of this engine, each with a line of help. */
    Map<String, String> options();

    /**
     * Opens the store, creating it if it does not exist.
     *
     * @param options by name; {@code data-dir} is always present
     * @throws StorageException kind REFUSED (locked, other format), CORRUPT, NO_SPACE or
     *     UNAVAILABLE, with a one-line message that names the remedy
     * @throws IllegalArgumentException for an option that is unknown or out of range
     */
    KvStorage open(Map<String, String> options);

    /**
     * Opens a store to fill it, as fast as the engine can. A crash before {@link
     * KvStorage#finishLoading} may lose the last commits, but none before those, and not the first.
     * After a commit that failed, this storage takes no other. The default is {@link #open}.
     *
     * @param options as for {@link #open}
     */
    default KvStorage openForLoading(Map<String, String> options) {
        return open(options);
    }

    /**
     * Opens an existing store read-only and changes nothing. The default, for engines whose opening
     * changes nothing, is {@link #open}.
     *
     * @param options as for {@link #open}
     * @return a storage that refuses commits, or must not be given any
     * @throws StorageException as {@link #open} does; kind REFUSED also if there is no store
     * @throws IllegalArgumentException for an option that is unknown or out of its range
     */
    default KvStorage openReadOnly(Map<String, String> options) {
        return open(options);
    }
}
