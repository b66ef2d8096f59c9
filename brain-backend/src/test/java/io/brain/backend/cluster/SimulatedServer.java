package io.brain.backend.cluster;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** One life of one server process: a machine, a way to the store, a node. */
final class SimulatedServer {
    /** An answer that waited so long for the node's own news may come before them. */
    private static final long NEWS_NANOS = Duration.ofMillis(900).toNanos();

    private final int place;
    private final SimulatedRuntime.Machine machine;
    private final MemoryStorage storage;
    private final Way way;
    private final SimulatedNetwork network;
    private final SimulatedCluster cluster;
    private final List<SimulatedLink> links = new ArrayList<>();
    private final Node node;
    private boolean alive = true;
    private boolean stalled;
    private boolean stopping;

    /** The newest revision that it must know: it has shown it, or answered with it. */
    long known;

    /** When it last could not work as it should, in the clock's nanoseconds. */
    long disturbed = -1;

    SimulatedServer(
            SimulatedCluster cluster,
            int place,
            MemoryStorage storage,
            UnaryOperator<KvStorage> faults) {
        this.cluster = cluster;
        this.place = place;
        this.storage = storage;
        network = cluster.network;
        machine = cluster.simulation.machine();
        way = new Way(faults.apply(storage));
        NodeSettings settings =
                cluster.settings.withMember(
                        "s" + place, List.of(url(place)), List.of(), cluster.lease);
        node = Node.open(way, settings, this::connect, machine.runtime());
    }

    static String url(int place) {
        return "peer:" + place;
    }

    int place() {
        return place;
    }

    Node node() {
        return node;
    }

    boolean isAlive() {
        return alive;
    }

    /** True from when it was told to stop in good order. */
    boolean isStopping() {
        return stopping;
    }

    /** Hands over, then stops as a process does. */
    void stop(Runnable ended) {
        stopping = true;
        AtomicBoolean closed = new AtomicBoolean();
        Runnable close =
                () -> {
                    if (alive && closed.compareAndSet(false, true)) {
                        node.close();
                        cluster.later(
                                Duration.ofMillis(10),
                                () -> {
                                    if (alive) {
                                        ended.run();
                                    }
                                });
                    }
                };
        Futures.onEnd(node.handOver(), (done, failure) -> close.run());
        cluster.later(Duration.ofSeconds(1), close);
    }

    boolean isStalled() {
        return stalled;
    }

    Executor transport() {
        return machine.transport();
    }

    /** Where it reads the store for clients; can be held up. */
    SimulatedRuntime.Lane readers() {
        return machine.readers();
    }

    /** Clients' calls come in on the server's own threads. */
    void stall() {
        stalled = true;
        machine.stop();
    }

    void goOn() {
        stalled = false;
        disturbed = cluster.simulation.nanos();
        machine.go();
    }

    /** Nothing comes from the store any more, or goes there. */
    void cutStore(boolean cut) {
        way.cut = cut;
    }

    /** The store can be read and not written. */
    void cutCommits(boolean cut) {
        way.commitsCut = cut;
    }

    /** What the store says of a commit takes so long to come; what it does, it does at once. */
    void slowAnswers(Duration lag) {
        way.lag = lag;
    }

    /** A call that took so long was answered with a revision. */
    void answered(long revision, long tookNanos) {
        if (tookNanos < NEWS_NANOS) {
            known = Math.max(known, revision);
        }
    }

    /** The process is killed. What it sent to the store may still arrive there. */
    void kill(boolean loudly) {
        alive = false;
        way.cut = true;
        machine.kill();
        for (SimulatedLink link : List.copyOf(links)) {
            forget(link);
            if (loudly) {
                link.broken();
            } else {
                cluster.later(Duration.ofSeconds(3), link::broken);
            }
        }
    }

    /** All its connections to others, and theirs to it, break. */
    void breakLinks() {
        for (SimulatedLink link : List.copyOf(links)) {
            forget(link);
            link.broken();
        }
    }

    void checkNothingOpen() {
        storage.checkNoOpenSnapshots();
    }

    void forget(SimulatedLink link) {
        links.remove(link);
    }

    private SimulatedLink connect(LeaderId leader, List<String> urls) {
        SimulatedServer far = cluster.servers.get(Integer.parseInt(urls.get(0).substring(5)));
        SimulatedLink link = new SimulatedLink(network, this, far, leader);
        links.add(link);
        far.links.add(link);
        return link;
    }

    /** The way to the store, which can be cut. */
    private final class Way extends ForwardingKvStorage {
        private boolean cut;
        private boolean commitsCut;
        private Duration lag = Duration.ZERO;

        Way(KvStorage delegate) {
            super(delegate);
        }

        private StorageException away() {
            return new StorageException(StorageException.Kind.UNAVAILABLE, "the way is cut");
        }

        private void check() {
            if (cut) {
                throw away();
            }
        }

        @Override
        public Snapshot snapshot() {
            check();
            return super.snapshot();
        }

        @Override
        public Snapshot snapshotAt(long timestamp) {
            check();
            return super.snapshotAt(timestamp);
        }

        @Override
        public long timestamp() {
            check();
            return super.timestamp();
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            return cut || commitsCut
                    ? CompletableFuture.completedFuture(new CommitResult.Unavailable(away()))
                    : late(super.commit(batch));
        }

        private CompletionStage<CommitResult> late(CompletionStage<CommitResult> commit) {
            if (lag.isZero()) {
                return commit;
            }
            CompletableFuture<CommitResult> told = new CompletableFuture<>();
            Duration time = lag;
            Futures.onEnd(
                    commit, (result, failure) -> cluster.later(time, () -> told.complete(result)));
            return told;
        }

        @Override
        public CompletionStage<CommitResult> resolve(WriteBatch batch) {
            return cut
                    ? CompletableFuture.completedFuture(new CommitResult.Uncertain(away()))
                    : super.resolve(batch);
        }
    }
}
