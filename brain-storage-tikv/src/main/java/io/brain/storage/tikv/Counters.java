package io.brain.storage.tikv;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters since the storage was opened. Thread-safe. */
final class Counters {
    final LongAdder commits = new LongAdder();
    final LongAdder chainedCommits = new LongAdder();
    final LongAdder conflicts = new LongAdder();
    final LongAdder repeatedCommits = new LongAdder();
    final LongAdder uncertainCommits = new LongAdder();
    final LongAdder commitTimestampsExpired = new LongAdder();
    final LongAdder locksMet = new LongAdder();
    final LongAdder regionErrors = new LongAdder();
    final LongAdder safePointMoves = new LongAdder();
    final LongAdder safePointFailures = new LongAdder();
    final LongAdder sweptLocks = new LongAdder();

    Map<String, Long> read() {
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
