package io.brain.server.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Turns SIGTERM and SIGINT into an orderly return from {@code main}: the signal wakes the main
 * thread, and the process exits when that has stopped all components.
 */
public final class ShutdownSignal {
    private final CompletableFuture<Void> requested = new CompletableFuture<>();
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "brain-shutdown");
    private volatile int exitCode = 1;

    private ShutdownSignal() {}

    /** Receives the signals of this process from now on. */
    public static ShutdownSignal install() {
        ShutdownSignal signal = new ShutdownSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    /** Completes when the process must stop. */
    public CompletableFuture<Void> requested() {
        return requested;
    }

    /** Reports that all components are stopped: the process exits with this code. */
    public void finish(int code) {
        exitCode = code;
        finished.countDown();
    }

    private void onSignal() {
        requested.complete(null);
        try {
            finished.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        // Otherwise the exit status would be that of a process killed by the signal.
        Runtime.getRuntime().halt(exitCode);
    }
}
