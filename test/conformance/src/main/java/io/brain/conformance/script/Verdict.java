package io.brain.conformance.script;

import io.brain.conformance.compare.Transcript;

/**
 * What came of a scenario.
 *
 * @param reference the first server's transcript
 * @param differences both transcripts side by side, or empty if they are the same
 */
public record Verdict(Scenario scenario, Transcript reference, String differences) {

    public boolean passed() {
        return differences.isEmpty();
    }
}
