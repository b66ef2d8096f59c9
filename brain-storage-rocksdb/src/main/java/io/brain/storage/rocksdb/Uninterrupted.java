package io.brain.storage.rocksdb;

/** Waits to the end: what is native must not be freed under its users, so an interrupt waits. */
final class Uninterrupted {
    /** A wait for some time; true if what is waited for has happened. */
    interface Wait {
        boolean isOver() throws InterruptedException;
    }

    private Uninterrupted() {}

    /**
     * Waits until {@code wait} is over; an interrupt that came meanwhile is kept for the caller.
     */
    static void await(Wait wait) {
        boolean interrupted = false;
        boolean over = false;
        while (!over) {
            try {
                over = wait.isOver();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
