package io.brain.conformance.script;

import io.brain.conformance.compare.Transcript;

/**
 * What came of a scenario.
 *
 * @param reference the first server's transcript
 * @param differences both transcripts side by side, or empty if they are the same
 */
public record Verdict(Scenario scenario, Transcript reference, String differences) {

    private static final int LINE_LENGTH_MAX = 900;

    public boolean passed() {
        return differences.isEmpty();
    }

    /** The title and the beginning of the differences. */
    public String inOneLine() {
        String line = scenario.title() + ": " + differences.strip().replaceAll("\\s+", " ");
        return line.substring(0, Math.min(LINE_LENGTH_MAX, line.length()));
    }
}
