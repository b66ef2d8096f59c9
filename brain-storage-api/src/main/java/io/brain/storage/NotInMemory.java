package io.brain.storage;

/**
 * What was asked for is not in memory, and the snapshot may not wait for a disk or a network: see
 * {@link KvStorage#snapshotInMemory}. A signal, so it carries no stack trace.
 */
public final class NotInMemory extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The signal. */
    public NotInMemory() {
        super("not in memory", null, false, false);
    }
}
