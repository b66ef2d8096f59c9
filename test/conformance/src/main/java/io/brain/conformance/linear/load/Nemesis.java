package io.brain.conformance.linear.load;

import io.brain.conformance.members.Cluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Injects one fault after the other, by a seed. One thread runs it. */
final class Nemesis {

    /** A fault, and when it began and was over in nanoseconds. */
    record Injection(Fault fault, long start, long end) {}

    private static final int PAUSE_MILLIS_MIN = 200;
    private static final int PAUSE_MILLIS_MAX = 4_000;

    private final Stage stage;
    private final Random random;
    private final List<Fault> faults;
    private final List<Injection> injected = new ArrayList<>();
    private List<Fault> bag = List.of();
    private int taken;

    /**
     * @param wanted the faults to choose from; those that the cluster has no use for are left out
     */
    Nemesis(Cluster cluster, long seed, Set<Fault> wanted) {
        this.random = new Random(seed);
        this.stage = new Stage(cluster, random);
        this.faults =
                wanted.stream()
                        .filter(fault -> cluster.bed().isPresent() || !fault.needsBed())
                        .sorted()
                        .toList();
    }

    /** Injects a fault, if there is one to choose; it is over when this returns. */
    void next() throws IOException, InterruptedException {
        stage.hold(PAUSE_MILLIS_MIN, PAUSE_MILLIS_MAX);
        if (taken == bag.size()) { // each once before any comes again
            bag = new ArrayList<>(faults);
            Collections.shuffle(bag, random);
            taken = 0;
        }
        if (bag.isEmpty()) {
            return;
        }
        Fault fault = bag.get(taken++);
        long start = System.nanoTime();
        if (fault.inject(stage)) {
            injected.add(new Injection(fault, start, System.nanoTime()));
        }
        stage.cluster().revive();
    }

    /** How many twins served while the process whose twin they are served, too. */
    int twinsServing() {
        return stage.twinsServing();
    }

    /** How many twins ended by themselves. */
    int twinsEnded() {
        return stage.twinsEnded();
    }

    /** In order. */
    List<Injection> injected() {
        return injected;
    }
}
