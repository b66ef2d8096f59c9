package io.brain.conformance.cluster.durability;

import java.util.List;

/**
 * What a trace proves.
 *
 * @param answers puts that were acknowledged
 * @param syncs successful syncs of any file while the trace ran
 * @param failures one line for each put that was answered before it was synced
 */
record SyncReport(int answers, long syncs, List<String> failures) {

    String text(String server) {
        return String.format(
                "sync proof, %s: answers %d, syncs %d, answered before their sync %d",
                server, answers, syncs, failures.size());
    }
}
