package io.brain.transfer.mirror;

import java.io.IOException;

/**
 * What becomes equal to the source, revision by revision. Used by one thread. Errors are {@link
 * IOException}s with a message of one line; after one the target is not used again.
 */
public interface MirrorTarget {
    /** The newest revision that is applied for certain; the next one is the next to apply. */
    long revision() throws IOException;

    /**
     * Applies a revision, or takes it to apply it later; waits if many are taken.
     *
     * @param next follows the one that was taken before
     */
    void apply(SourceRevision next) throws IOException;

    /** Waits until everything taken is applied. */
    void await() throws IOException;
}
