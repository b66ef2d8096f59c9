package io.brain.backend.watch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Commands from any thread to a thread that works in turns; at most one turn is scheduled. The
 * senders limit the commands: transports by {@link WatchSink#taken} to 256 per stream, log readers
 * and timers by their number.
 */
final class CommandQueue {
    private final Executor executor;
    private final Runnable turn;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * An empty queue.
     *
     * @param executor one thread
     * @param turn runs there soon after each {@link #wake}
     */
    CommandQueue(Executor executor, Runnable turn) {
        this.executor = executor;
        this.turn = turn;
    }

    /** Adds a command for a later turn, and schedules a turn. */
    void post(Runnable command) {
        commands.add(command);
        wake();
    }

    /** Schedules a turn, unless one is scheduled that has not begun. */
    void wake() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.execute(
                        () -> {
                            scheduled.set(false);
                            turn.run();
                        });
            } catch (RejectedExecutionException e) {
                // The thread has ended.
                commands.clear();
                scheduled.set(false);
            }
        }
    }

    /** Runs at most {@code max} commands, oldest first; false if some remain. */
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
