package io.brain.storage.rocksdb;

/** Uninterruptible waits: native objects must not be freed while in use. */
final class Uninterrupted {
    /** A bounded wait; true if the condition holds. */
    interface Wait {
        boolean isOver() throws InterruptedException;
    }

    private Uninterrupted() {}

    /** Waits until {@code wait} is over; restores the interrupt status. */
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
