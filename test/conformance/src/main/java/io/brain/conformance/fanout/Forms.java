package io.brain.conformance.fanout;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * The runs of one round: one without watchers, and one for each number of nodes that serve them.
 */
final class Forms {

    private final Run[] runs;

    /**
     * Runs them all, one after the other.
     *
     * @param turn which is the first: each is, in one of several rounds
     */
    Forms(Stage stage, int turn) throws IOException, InterruptedException, WrongEvents {
        runs = new Run[stage.nodes() + 1];
        for (int i = 0; i < runs.length; i++) {
            int serving = (turn + i) % runs.length;
            runs[serving] = stage.run(serving);
        }
    }

    /** The run without watchers. */
    Run silent() {
        return runs[0];
    }

    /** The others; at index i, i + 1 nodes serve watchers. */
    List<Run> watched() {
        return Stream.of(runs).skip(1).toList();
    }
}
