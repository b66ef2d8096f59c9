package io.brain.conformance.linear.load;

import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.Lock;

/**
 * Bursts of writes, each followed by a silence that is checked. A follower may be disturbed
 * meanwhile. All by a seed. One thread runs it.
 */
final class Bursts {

    /** Sends the burst that is due. */
    interface Sender {
        void send() throws InterruptedException;
    }

    private record Step(Burst burst, Disturbance disturbance) {}

    private static final Duration SERVING_MAX = Duration.ofSeconds(90);

    private final Stage stage;
    private final Cluster cluster;
    private final Random random;
    private final List<Step> steps = new ArrayList<>();
    private final Recorder recorder;
    private final Compactor compactor;
    private final Silence silence;
    private final Lock silent;
    private final Map<Burst, Integer> sent = new EnumMap<>(Burst.class);
    private final List<WriteGaps.Silent> silences = new ArrayList<>();
    private List<Step> bag = List.of();
    private int taken;

    /**
     * @param silent excludes all clients and compactions while it is held
     */
    Bursts(
            Load load,
            Set<Burst> bursts,
            Set<Disturbance> disturbances,
            Compactor compactor,
            Silence silence,
            Lock silent) {
        this.cluster = load.cluster();
        this.random = new Random(load.seed());
        this.stage = new Stage(cluster, random);
        this.recorder = load.recorder();
        this.compactor = compactor;
        this.silence = silence;
        this.silent = silent;
        for (Burst burst : Burst.values()) {
            for (Disturbance disturbance : Disturbance.values()) {
                if (bursts.contains(burst) && disturbances.contains(disturbance)) {
                    steps.add(new Step(burst, disturbance));
                }
            }
        }
    }

    /** One burst and its silence; false if the cluster does not serve any more. */
    boolean next() throws IOException, InterruptedException {
        if (steps.isEmpty()) {
            return true;
        }
        if (taken == bag.size()) { // each once before any comes again
            bag = new ArrayList<>(steps);
            Collections.shuffle(bag, random);
            taken = 0;
        }
        Step step = bag.get(taken++);
        Optional<Node> leader =
                cluster.awaitServing(SERVING_MAX)
                        ? Optional.of(cluster.awaitLeader())
                        : Optional.empty();
        Optional<Node> follower = stage.follower();
        if (leader.isEmpty() || follower.isEmpty()) {
            return false;
        }
        boolean throughLeader = step.disturbance() != Disturbance.NOTHING || stage.coin();
        Node to = throughLeader ? leader.get() : follower.get();
        int number = sent.merge(step.burst(), 1, Integer::sum);
        Sender sender = () -> step.burst().send(to, number, recorder);
        boolean underLoad = stage.coin();
        if (underLoad) {
            step.disturbance().around(sender, this, stage, follower.get());
        }
        silent.lock();
        long start = System.nanoTime();
        try {
            if (!underLoad) {
                step.disturbance().around(sender, this, stage, follower.get());
            }
            if (!cluster.awaitServing(SERVING_MAX)) {
                return false;
            }
            silence.check(
                    step.burst() + ", " + step.disturbance() + " of " + follower.get().name());
            return true;
        } finally {
            silences.add(new WriteGaps.Silent(start, System.nanoTime()));
            silent.unlock();
        }
    }

    /** When nobody wrote but the bursts. */
    List<WriteGaps.Silent> silences() {
        return silences;
    }

    /** Compacts close to the newest revision, through the leader. */
    void compact() throws InterruptedException {
        Optional<Node> leader = stage.leader();
        if (leader.isPresent()) {
            var unused = compactor.compact(cluster.nodes().indexOf(leader.get()), 0, true);
        }
    }

    /** Lists on a node for a while. */
    void list(Node node, long millis) {
        silence.list(cluster.nodes().indexOf(node), millis);
    }

    /** How many of each were sent. */
    Map<Burst, Integer> sent() {
        return sent;
    }
}
