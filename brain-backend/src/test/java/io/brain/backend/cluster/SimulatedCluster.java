package io.brain.backend.cluster;

import io.brain.backend.NodeSettings;
import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.RandomFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Servers on one store with faulty connections, on simulated time. */
final class SimulatedCluster {
    private static final List<Fault.Outcome> OUTCOMES =
            List.of(
                    Fault.Outcome.UNAVAILABLE,
                    Fault.Outcome.UNCERTAIN_NOT_APPLIED,
                    Fault.Outcome.UNCERTAIN_APPLIED,
                    Fault.Outcome.UNCERTAIN_THEN_APPLIED);

    final SimulatedRuntime simulation;
    final SimulatedNetwork network;

    /** Of servers that start. */
    Duration lease;

    final boolean strictReads;

    /** Of the engine, as the servers see it. */
    final Set<StorageTrait> traits;

    final Duration timeout = Duration.ofSeconds(4);
    final NodeSettings settings;
    final MemoryStorage content;

    /** The running process of each server, by index. */
    final List<SimulatedServer> servers = new ArrayList<>();

    private final List<SimulatedServer> dead = new ArrayList<>();
    private final Random random;
    private boolean faulty;

    /** Creates a cluster whose event ring is too small for some watchers. */
    SimulatedCluster(long seed, int size) {
        this(seed, size, 20_000);
    }

    SimulatedCluster(long seed, int size, int ringBytes) {
        this(seed, size, ringBytes, true);
    }

    /**
     * A cluster on an engine like TiKV, or on one like the databases.
     *
     * @param opensTimestamps false: a snapshot is always the newest state
     */
    SimulatedCluster(long seed, int size, int ringBytes, boolean opensTimestamps) {
        this(
                seed,
                size,
                ringBytes,
                Duration.ofSeconds(1),
                () -> TtlRules.NONE,
                false,
                opensTimestamps ? Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP) : Set.of());
    }

    SimulatedCluster(
            long seed, int size, int ringBytes, Duration lease, Supplier<TtlRules> ttlRules) {
        this(seed, size, ringBytes, lease, ttlRules, false);
    }

    SimulatedCluster(
            long seed,
            int size,
            int ringBytes,
            Duration lease,
            Supplier<TtlRules> ttlRules,
            boolean strictReads) {
        this(
                seed,
                size,
                ringBytes,
                lease,
                ttlRules,
                strictReads,
                Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    }

    private SimulatedCluster(
            long seed,
            int size,
            int ringBytes,
            Duration lease,
            Supplier<TtlRules> ttlRules,
            boolean strictReads,
            Set<StorageTrait> traits) {
        this.lease = lease;
        this.strictReads = strictReads;
        this.traits = traits;
        random = new Random(seed);
        simulation = new SimulatedRuntime(random.nextLong());
        network = new SimulatedNetwork(simulation, size, new Random(random.nextLong()));
        // The tests read every past state of it.
        content =
                new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
        NodeSettings defaults = NodeSettings.defaults(8 << 20);
        settings =
                defaults.withLimits(new NodeSettings.Limits(0, 1 << 20, 128, timeout))
                        .withWatch(defaults.watch().withRing(ringBytes))
                        .withTtlRules(ttlRules);
        for (int index = 0; index < size; index++) {
            servers.add(open(index));
        }
    }

    void setFaulty(boolean wanted) {
        faulty = wanted;
    }

    SimulatedServer any() {
        return servers.get(random.nextInt(servers.size()));
    }

    /** The server that reports itself as leader in the newest epoch; null if none does. */
    SimulatedServer leader() {
        SimulatedServer found = null;
        for (SimulatedServer server : servers) {
            if (server.isAlive() && leads(server)) {
                boolean newer =
                        found == null
                                || server.node().status().epoch() > found.node().status().epoch();
                found = newer ? server : found;
            }
        }
        return found;
    }

    static boolean leads(SimulatedServer server) {
        var status = server.node().status();
        return status.memberId() != 0 && status.leaderId() == status.memberId();
    }

    /** Starts a new process of a server. */
    void restart(int index) {
        dead.add(servers.get(index));
        servers.set(index, open(index));
    }

    void later(Duration delay, Runnable task) {
        simulation.runtime().scheduler().schedule(delay, Runnable::run, task);
    }

    private SimulatedServer open(int index) {
        return new SimulatedServer(
                this, index, content.openAgain(simulation.engine()), this::faulty);
    }

    private KvStorage faulty(KvStorage storage) {
        RandomFaults faults =
                new RandomFaults(
                        new Random(random.nextLong()), 0.08, Duration.ofMillis(20), OUTCOMES);
        return new FaultyStorage(
                storage, batch -> faulty ? faults.apply(batch) : Fault.NONE, simulation::later);
    }
}
