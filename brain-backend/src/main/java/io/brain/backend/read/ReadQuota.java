package io.brain.backend.read;

/** Limits a read while it builds its answer. Used by the reading thread only. */
public interface ReadQuota {
    ReadQuota UNLIMITED =
            new ReadQuota() {
                @Override
                public void hold(long bytes) {}

                @Override
                public void passKey() {}
            };

    /**
     * Adds bytes to the answer; may be negative.
     *
     * @throws ExceededException if there is no room for them
     */
    void hold(long bytes);

    /**
     * Called for each key.
     *
     * @throws ExceededException if these are too many
     * @throws java.util.concurrent.CancellationException if the read was cancelled
     */
    void passKey();

    /** Ends a read that must start again, with a larger quota. */
    final class ExceededException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** A signal without a stack trace. */
        ExceededException() {
            super("read quota exceeded", null, false, false);
        }
    }
}
