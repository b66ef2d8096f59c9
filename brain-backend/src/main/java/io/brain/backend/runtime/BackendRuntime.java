package io.brain.backend.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The environment of a backend, except its storage. Its creator owns the threads.
 *
 * @param clock monotonic time
 * @param scheduler delayed tasks
 * @param sequencer one thread: evaluates and commits writes
 * @param watch one thread: matches and delivers events
 * @param prompt one thread: deadlines, waiting calls, heartbeats; never blocks
 * @param readers a bounded pool: scans and point reads that may block
 * @param logReaders a bounded pool: watchers' catch-up from the commit log; may block
 * @param background a bounded pool: compaction, hashes and other long tasks; may block
 * @param takeover a bounded pool: reads before a term, a follower's reads without a leader; may
 *     block
 * @param elector one thread: election; blocks only for the engine
 * @param random ids
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
    /** The runtime with another listener. */
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
