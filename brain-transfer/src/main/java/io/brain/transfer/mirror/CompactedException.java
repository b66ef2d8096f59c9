package io.brain.transfer.mirror;

import java.io.IOException;

/** The source has compacted revisions that were not read yet. */
public final class CompactedException extends IOException {
    private static final long serialVersionUID = 1;

    private final long compactRevision;

    /**
     * Creates an exception.
     *
     * @param name of the source
     * @param next the revision that was to be read next
     * @param compactRevision of the source
     */
    public CompactedException(String name, long next, long compactRevision) {
        super("%s: revision %d was compacted, at %d".formatted(name, next, compactRevision));
        this.compactRevision = compactRevision;
    }

    /** The oldest readable revision of the source. */
    public long compactRevision() {
        return compactRevision;
    }
}
