package io.brain.conformance.fanout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The runs of one round: one without watchers, and one for each number of nodes that serve them.
 */
final class Forms {

    private final Run silent;
    private final List<Run> watched = new ArrayList<>();

    /** Runs them all, one after the other. */
    Forms(Stage stage) throws IOException, InterruptedException, WrongEvents {
        silent = stage.run(0);
        for (int nodes = 1; nodes <= stage.nodes(); nodes++) {
            watched.add(stage.run(nodes));
        }
    }

    /** The run without watchers. */
    Run silent() {
        return silent;
    }

    /** The others; at index i, i + 1 nodes serve watchers. */
    List<Run> watched() {
        return watched;
    }
}
