package io.brain.backend.watch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Commands from any thread to a thread that works in turns. However often it is woken, at most one
 * turn waits to run. The senders bound the number of commands: a stream's transport by {@link
 * WatchSink#taken} (256 each) and by what it is sent, log readers by their number, timers to one
 * per use.
 */
final class CommandQueue implements Executor {
    private final Executor thread;
    private final Runnable turn;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean awake = new AtomicBoolean();

    /**
     * An empty queue.
     *
     * @param thread one thread
     * @param turn runs there soon after each wake-up
     */
    CommandQueue(Executor thread, Runnable turn) {
        this.thread = thread;
        this.turn = turn;
    }

    /** Queues a command for a later turn, and wakes the thread. */
    @Override
    public void execute(Runnable command) {
        commands.add(command);
        wake();
    }

    /** Ensures that a turn begins after this call. */
    void wake() {
        if (awake.compareAndSet(false, true)) {
            try {
                thread.execute(
                        () -> {
                            awake.set(false);
                            turn.run();
                        });
            } catch (RejectedExecutionException e) {
                // The thread has ended: no command will run.
                commands.clear();
                awake.set(false);
            }
        }
    }

    /** Runs commands in order, {@code max} at most; returns true if none is left. */
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
