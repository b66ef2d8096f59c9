package io.brain.backend.cluster;

import io.brain.backend.NodeLimits;
import io.brain.backend.NodeSettings;
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

/** Servers on one store, in one time, with everything between them that can fail. */
final class SimulatedCluster {
    private static final List<Fault.Outcome> OUTCOMES =
            List.of(
                    Fault.Outcome.UNAVAILABLE,
                    Fault.Outcome.UNCERTAIN_NOT_APPLIED,
                    Fault.Outcome.UNCERTAIN_APPLIED,
                    Fault.Outcome.UNCERTAIN_THEN_APPLIED);

    final SimulatedRuntime simulation;
    final SimulatedNetwork network;
    final Duration lease = Duration.ofSeconds(1);
    final Duration timeout = Duration.ofSeconds(4);
    final NodeSettings settings;
    final MemoryStorage content;

    /** The present life of each server, by place. */
    final List<SimulatedServer> servers = new ArrayList<>();

    private final List<SimulatedServer> dead = new ArrayList<>();
    private final Random random;
    private boolean faulty;

    /** Of a ring that is so small that watchers fall out of it now and then. */
    SimulatedCluster(long seed, int size) {
        this(seed, size, 20_000);
    }

    SimulatedCluster(long seed, int size, int ringBytes) {
        random = new Random(seed);
        simulation = new SimulatedRuntime(random.nextLong());
        network = new SimulatedNetwork(simulation, size, new Random(random.nextLong()));
        content =
                new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
        NodeSettings defaults = NodeSettings.defaults(8 << 20);
        settings =
                defaults.withLimits(new NodeLimits(0, 1 << 20, 128, timeout))
                        .withWatch(defaults.watch().withRing(ringBytes));
        for (int place = 0; place < size; place++) {
            servers.add(open(place));
        }
    }

    void setFaulty(boolean wanted) {
        faulty = wanted;
    }

    SimulatedServer any() {
        return servers.get(random.nextInt(servers.size()));
    }

    /** The server that says that it leads, and does as far as the store knows; null if none. */
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

    /** A server's process begins anew, once the one before has ended. */
    void restart(int place) {
        dead.add(servers.get(place));
        servers.set(place, open(place));
    }

    void later(Duration delay, Runnable task) {
        simulation.runtime().scheduler().schedule(delay, Runnable::run, task);
    }

    private SimulatedServer open(int place) {
        return new SimulatedServer(
                this, place, content.openAgain(simulation.engine()), this::faulty);
    }

    private KvStorage faulty(KvStorage storage) {
        RandomFaults faults =
                new RandomFaults(
                        new Random(random.nextLong()), 0.08, Duration.ofMillis(20), OUTCOMES);
        return new FaultyStorage(
                storage,
                batch -> faulty ? faults.apply(batch) : Fault.NONE,
                (delay, task) ->
                        simulation
                                .runtime()
                                .scheduler()
                                .schedule(delay, simulation.engine(), task));
    }
}
