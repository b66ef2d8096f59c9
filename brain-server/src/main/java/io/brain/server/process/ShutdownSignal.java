package io.brain.server.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;

/**
 * Turns SIGTERM and SIGINT into an orderly return from {@code main}: the signal wakes the main
 * thread, and the process exits when that has stopped all components.
 */
public final class ShutdownSignal {
    private final CompletableFuture<Void> requested = new CompletableFuture<>();
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "brain-shutdown");
    private volatile int exitCode = 1;

    ShutdownSignal() {}

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

    /**
     * Runs the program, which stops all components before it returns. Whatever it throws, the
     * process can exit afterwards: a signal would wait for ever otherwise.
     *
     * @param program returns the exit code
     * @return the code with which the process must exit
     */
    public int run(IntSupplier program) {
        try {
            exitCode = program.getAsInt();
        } catch (Throwable unexpected) { // also an OutOfMemoryError
            Thread main = Thread.currentThread();
            main.getUncaughtExceptionHandler().uncaughtException(main, unexpected); // prints it
        } finally {
            finished.countDown();
        }
        return exitCode;
    }

    /** True if a signal need not wait any more. */
    boolean isFinished() {
        return finished.getCount() == 0;
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
