package io.brain.backend.watch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Commands from any thread to the one that works in turns. However often it is woken, at most one
 * turn waits to be run. What waits here is bounded by the senders: a stream's transport by {@link
 * WatchSink#taken} (256 each), readers of the log by their number, timers by one for each use.
 */
final class CommandQueue {
    private final Executor executor;
    private final Runnable turn;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean awake = new AtomicBoolean();

    /**
     * An empty mailbox.
     *
     * @param executor one thread
     * @param turn is run there soon after each wake-up
     */
    CommandQueue(Executor executor, Runnable turn) {
        this.executor = executor;
        this.turn = turn;
    }

    /** Has a command run in a later turn, and sees to it that there is one. */
    void post(Runnable command) {
        commands.add(command);
        wake();
    }

    /** Sees to it that a turn begins after this call. */
    void wake() {
        if (awake.compareAndSet(false, true)) {
            try {
                executor.execute(
                        () -> {
                            awake.set(false);
                            turn.run();
                        });
            } catch (RejectedExecutionException e) {
                // The thread's owner has ended it: nobody is left to tell.
                commands.clear();
                awake.set(false);
            }
        }
    }

    /** Runs commands in the order they came, {@code max} at most; false if more are waiting. */
    boolean run(int max) {
        for (int i = 0; i < max; i++) {
            Runnable command = commands.poll();
            if (command == null) {
                return true;
            }
            command.run();
        }
        return commands.isEmpty();
    }
}
