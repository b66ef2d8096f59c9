package io.brain.server;

import java.util.concurrent.CountDownLatch;

/**
 * Turns the process's end signals into an orderly return from {@code main}: the signal wakes the
 * main thread and then waits until that has stopped everything, or the time is over.
 */
final class ShutdownSignal {
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "brain-shutdown");
    private volatile int exitCode = 1;

    private ShutdownSignal() {}

    static ShutdownSignal install() {
        ShutdownSignal signal = new ShutdownSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    /** Waits for a signal. */
    void await() throws InterruptedException {
        wanted.await();
    }

    /** Ends the waiting as a signal does. */
    void wake() {
        wanted.countDown();
    }

    /** Everything is stopped: the process may end, with this code. */
    void finish(int code) {
        exitCode = code;
        finished.countDown();
    }

    private void onSignal() {
        wanted.countDown();
        try {
            finished.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        // Without this the process would end as killed by the signal.
        Runtime.getRuntime().halt(exitCode);
    }
}
