package io.brain.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Turns the process's end signals into an orderly return from {@code main}: the signal wakes the
 * main thread and then waits until that has stopped everything, or the time is over.
 */
final class ShutdownSignal {
    private final CompletableFuture<Void> wanted = new CompletableFuture<>();
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "brain-shutdown");
    private volatile int exitCode = 1;

    private ShutdownSignal() {}

    static ShutdownSignal install() {
        ShutdownSignal signal = new ShutdownSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    /** Completes when the process is to end. */
    CompletableFuture<Void> wanted() {
        return wanted;
    }

    /** Everything is stopped: the process may end, with this code. */
    void finish(int code) {
        exitCode = code;
        finished.countDown();
    }

    private void onSignal() {
        wanted.complete(null);
        try {
            finished.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        // Without this the process would end as killed by the signal.
        Runtime.getRuntime().halt(exitCode);
    }
}
