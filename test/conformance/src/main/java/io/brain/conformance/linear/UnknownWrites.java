package io.brain.conformance.linear;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds, for revisions that no acknowledged write claims, requests of unknown outcome that explain
 * them: each request at most once, and none before it was sent. Values are unique, so mostly there
 * is one candidate; deletes may have several, and are matched along alternating paths.
 */
final class UnknownWrites {

    private final Map<Long, List<Operation>> candidates = new HashMap<>();
    private final Map<Operation, Long> matched = new HashMap<>();

    /**
     * @param revisions in no order
     * @param unknown requests whose outcome nobody knows
     * @param knownBefore the newest revision that somebody knew of before a request was sent
     */
    UnknownWrites(
            Versions versions,
            EventLog log,
            Iterable<Long> revisions,
            List<Operation> unknown,
            KnownRevisions knownBefore) {
        for (long revision : revisions) {
            List<Operation> fitting = new ArrayList<>();
            for (Operation operation : unknown) {
                if (knownBefore.at(operation.start()) < revision
                        && Evaluator.evaluate(versions, revision - 1, operation.request())
                                .events()
                                .equals(log.at(revision))) {
                    fitting.add(operation);
                }
            }
            candidates.put(revision, fitting);
        }
    }

    /** The revisions that nothing explains. */
    List<Long> unexplained() {
        List<Long> left = new ArrayList<>();
        for (long revision : candidates.keySet().stream().sorted().toList()) {
            if (!place(revision, new HashSet<>())) {
                left.add(revision);
            }
        }
        return left;
    }

    /** Requests that turned out to have happened, and at which revision. */
    Map<Operation, Long> matched() {
        return matched;
    }

    private boolean place(long revision, Set<Operation> tried) {
        for (Operation operation : candidates.get(revision)) {
            if (tried.add(operation)) {
                Long holder = matched.get(operation);
                if (holder == null || place(holder, tried)) {
                    matched.put(operation, revision);
                    return true;
                }
            }
        }
        return false;
    }
}
