package io.brain.conformance.linear.load;

import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Link;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Program;
import io.brain.conformance.members.Regions;
import io.brain.conformance.members.TikvBed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What a fault is done to, and its dice. Used by one thread. */
final class Stage {

    private final Cluster cluster;
    private final Random random;
    private int twinsEnded;
    private int twinsServing;

    Stage(Cluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    Cluster cluster() {
        return cluster;
    }

    Optional<Node> leader() {
        return cluster.leader();
    }

    /** One of those that do not lead. */
    Optional<Node> follower() {
        Optional<Node> leader = cluster.leader();
        List<Node> others = new ArrayList<>(cluster.nodes());
        leader.ifPresent(others::remove);
        return leader.map(any -> one(others));
    }

    /** One of the links between the parties of these kinds; empty if none was in use. */
    Optional<Link> link(boolean betweenNodes, String party) {
        List<Link> fitting =
                cluster.network().all().stream()
                        .filter(link -> !link.name().contains("somebody"))
                        .filter(
                                link ->
                                        betweenNodes
                                                ? link.name().matches("n\\d-n\\d")
                                                : link.name().contains(party))
                        .toList();
        return fitting.isEmpty() ? Optional.empty() : Optional.of(one(fitting));
    }

    /** The links of one server to all parties whose names begin so. */
    List<Link> links(String others) {
        return cluster.network().links(one(cluster.nodes()).name(), others);
    }

    /** What Brain stands on. */
    TikvBed bed() {
        return cluster.bed().orElseThrow();
    }

    /** The store, or one of the TiKV's nodes. */
    Program store() {
        return one(bed().stores());
    }

    /** True on a TiKV whose nodes each have a copy of all data. */
    boolean severalStores() {
        return bed().stores().size() > 1;
    }

    /** Changes regions; false if nothing was ordered, or the store is a single one. */
    boolean changeRegions(RegionChange change) throws IOException, InterruptedException {
        return severalStores() && change.order(bed().regions(), random) > 0;
    }

    /** One of the changes of {@link Regions}. */
    interface RegionChange {
        int order(Regions regions, Random random) throws IOException, InterruptedException;
    }

    /** Notes whether a twin serves although the process whose twin it is serves, too. */
    void twinServes(boolean bothServe) {
        twinsServing += bothServe ? 1 : 0;
    }

    int twinsServing() {
        return twinsServing;
    }

    /** Notes that a twin has ended by itself, as one that is refused does. */
    void twinEnded() {
        twinsEnded++;
    }

    int twinsEnded() {
        return twinsEnded;
    }

    <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    boolean coin() {
        return random.nextBoolean();
    }

    /** Lets a random time pass. */
    void hold(int millisMin, int millisMax) throws InterruptedException {
        Thread.sleep(millisMin + random.nextInt(millisMax - millisMin + 1));
    }

    /** A number up to this, and at least 1. */
    int upTo(int max) {
        return 1 + random.nextInt(max);
    }
}
