package io.brain.backend.read;

/**
 * Watches a read while it puts its answer together, and stops it by throwing. Used by the reading
 * thread only.
 */
public interface ReadQuota {
    /** Never stops a read. */
    ReadQuota UNLIMITED =
            new ReadQuota() {
                @Override
                public void hold(long bytes) {}

                @Override
                public void passKey() {}
            };

    /**
     * The answer now holds this many more bytes; fewer if negative.
     *
     * @throws OutOfBudget if there is no room for them
     */
    void hold(long bytes);

    /**
     * The read comes to another key.
     *
     * @throws java.util.concurrent.CancellationException if nobody waits for the answer any more
     */
    void passKey();

    /** Stops a read that must give up what it has, and start again with more room. */
    final class OutOfBudget extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** A signal, so it carries no stack trace. */
        public OutOfBudget() {
            super("no room for the answer now", null, false, false);
        }
    }
}
