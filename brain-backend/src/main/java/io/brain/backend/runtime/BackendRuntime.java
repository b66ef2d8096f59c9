package io.brain.backend.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Everything that a backend takes from the world besides its storage. Who hands it in owns the
 * threads: starts, names and joins them.
 *
 * @param clock monotonic time
 * @param scheduler delayed tasks
 * @param sequencer one thread: evaluates and commits writes
 * @param watch one thread: matches and delivers events
 * @param prompt one thread: what is due at its time, such as time limits, waiting calls and
 *     heartbeats; never blocks
 * @param readers a bounded pool: scans and point reads that may block
 * @param logReaders a bounded pool: watchers' catch-up from the commit log; may block
 * @param background a bounded pool: compaction, hashes, and what else may take long and blocks
 * @param takeover a bounded pool: what a term goes on from, and what a follower shows without a
 *     leader; may block
 * @param elector one thread: what leadership hangs on; may block for the engine, behind nothing
 * @param random ids
 * @param listener told what happens
 */
public record BackendRuntime(
        Clock clock,
        Scheduler scheduler,
        Executor sequencer,
        Executor watch,
        Executor prompt,
        Executor readers,
        Executor logReaders,
        Executor background,
        Executor takeover,
        Executor elector,
        RandomGenerator random,
        BackendListener listener) {
    /** A runtime that nobody watches. */
    public BackendRuntime(
            Clock clock,
            Scheduler scheduler,
            Executor sequencer,
            Executor watch,
            Executor prompt,
            Executor readers,
            Executor logReaders,
            Executor background,
            Executor takeover,
            Executor elector,
            RandomGenerator random) {
        this(
                clock,
                scheduler,
                sequencer,
                watch,
                prompt,
                readers,
                logReaders,
                background,
                takeover,
                elector,
                random,
                BackendListener.NONE);
    }

    /** The same, watched by {@code other}. */
    public BackendRuntime withListener(BackendListener other) {
        return new BackendRuntime(
                clock,
                scheduler,
                sequencer,
                watch,
                prompt,
                readers,
                logReaders,
                background,
                takeover,
                elector,
                random,
                other);
    }
}
