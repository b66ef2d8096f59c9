package io.brain.storage.tikv.client;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters since the storage was opened. Thread-safe. */
public final class Counters {
    public final LongAdder commits = new LongAdder();
    public final LongAdder chainedCommits = new LongAdder();
    public final LongAdder conflicts = new LongAdder();
    public final LongAdder repeatedCommits = new LongAdder();
    public final LongAdder uncertainCommits = new LongAdder();
    public final LongAdder commitTimestampsExpired = new LongAdder();
    public final LongAdder locksMet = new LongAdder();
    final LongAdder regionErrors = new LongAdder();
    public final LongAdder safePointMoves = new LongAdder();
    public final LongAdder safePointFailures = new LongAdder();
    public final LongAdder sweptLocks = new LongAdder();

    public Map<String, Long> read() {
        Map<String, Long> stats = new TreeMap<>();
        stats.put("commits", commits.sum());
        stats.put("chained_commits", chainedCommits.sum());
        stats.put("conflicts", conflicts.sum());
        stats.put("repeated_commits", repeatedCommits.sum());
        stats.put("uncertain_commits", uncertainCommits.sum());
        stats.put("commit_timestamps_expired", commitTimestampsExpired.sum());
        stats.put("locks_met", locksMet.sum());
        stats.put("region_errors", regionErrors.sum());
        stats.put("safe_point_moves", safePointMoves.sum());
        stats.put("safe_point_failures", safePointFailures.sum());
        stats.put("swept_locks", sweptLocks.sum());
        return stats;
    }
}
