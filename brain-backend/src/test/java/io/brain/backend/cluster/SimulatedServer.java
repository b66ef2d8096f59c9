package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.ElectionSettings;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** One server process: a machine, a connection to the store, a node. */
final class SimulatedServer {
    /** Later answers no longer wait until the node shows their revision. */
    private static final long CATCH_UP_NANOS = Duration.ofMillis(900).toNanos();

    /** The fence and the leader record; a write has more. */
    private static final int ELECTION_MUTATIONS = 2;

    private final int index;
    private final SimulatedRuntime.Machine machine;
    private final MemoryStorage storage;
    private final StoreConnection store;
    private final SimulatedNetwork network;
    private final SimulatedCluster cluster;
    private final List<SimulatedLink> links = new ArrayList<>();
    private final Node node;
    private boolean alive = true;
    private boolean stalled;
    private boolean stopping;

    /** The newest revision that it showed or answered with. */
    long known;

    /** End of its last disturbance, in the clock's nanoseconds. */
    long disturbed = -1;

    SimulatedServer(
            SimulatedCluster cluster,
            int index,
            MemoryStorage storage,
            UnaryOperator<KvStorage> faults) {
        this.cluster = cluster;
        this.index = index;
        this.storage = storage;
        network = cluster.network;
        machine = cluster.simulation.machine();
        store = new StoreConnection(faults.apply(storage));
        NodeSettings settings =
                cluster.settings.withMember(
                        "s" + index, List.of(url(index)), List.of(), cluster.lease);
        ElectionSettings election = settings.election().withStrictReads(cluster.strictReads);
        node = Node.open(store, settings.withElection(election), this::connect, machine.runtime());
    }

    static String url(int index) {
        return "peer:" + index;
    }

    int index() {
        return index;
    }

    Node node() {
        return node;
    }

    boolean isAlive() {
        return alive;
    }

    /** True after a clean stop was requested. */
    boolean isStopping() {
        return stopping;
    }

    /** Stops cleanly: resigns, then closes the node. */
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
        Futures.onEnd(node.resign(), (done, failure) -> close.run());
        cluster.later(Duration.ofSeconds(1), close);
    }

    boolean isStalled() {
        return stalled;
    }

    Executor transport() {
        return machine.transport();
    }

    /** The readers' pool, which a test can hold. */
    SimulatedRuntime.SimulatedExecutor readers() {
        return machine.readers();
    }

    /** Stops all its threads. */
    void stall() {
        stalled = true;
        machine.stop();
    }

    void resume() {
        stalled = false;
        disturbed = cluster.simulation.nanos();
        machine.go();
    }

    /** Stops all its threads and its clock. */
    void suspend() {
        machine.suspend();
    }

    /** Ends {@link #suspend}. */
    void wake() {
        machine.wake();
    }

    /** Cuts the connection to the store. */
    void cutStore(boolean cut) {
        store.cut = cut;
    }

    /** Cuts commits only. */
    void cutCommits(boolean cut) {
        store.commitsCut = batch -> cut;
    }

    /** Cuts the commits of writes, but not those of elections. */
    void cutWrites() {
        store.commitsCut = batch -> batch.mutations().size() > ELECTION_MUTATIONS;
    }

    /** Refuses the next commits for lack of space. */
    void refuseCommits(int count) {
        store.refusals = count;
    }

    /** Delays the results of commits, but not the commits. */
    void slowAnswers(Duration lag) {
        store.lag = lag;
    }

    /** Adds the revision of an answer. */
    void answered(long revision, long tookNanos) {
        if (tookNanos < CATCH_UP_NANOS) {
            known = Math.max(known, revision);
        }
    }

    /** Kills the process. Its commits in flight may still arrive at the store. */
    void kill(boolean loudly) {
        alive = false;
        store.cut = true;
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

    /** Breaks all connections from and to other servers. */
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

    /** The connection to the store, which can be cut. */
    private final class StoreConnection extends ForwardingKvStorage {
        private boolean cut;
        private Predicate<WriteBatch> commitsCut = batch -> false;
        private Duration lag = Duration.ZERO;
        private int refusals;

        StoreConnection(KvStorage delegate) {
            super(delegate);
        }

        private StorageException unavailable() {
            return new StorageException(StorageException.Kind.UNAVAILABLE, "no connection");
        }

        private void check() {
            if (cut) {
                throw unavailable();
            }
        }

        @Override
        public Snapshot snapshot() {
            check();
            return super.snapshot();
        }

        @Override
        public Set<StorageTrait> traits() {
            return cluster.traits;
        }

        @Override
        public Snapshot snapshotAt(long timestamp) {
            assertThat(traits()).contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
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
            if (refusals > 0) {
                refusals--;
                return CompletableFuture.completedFuture(
                        new CommitResult.Unavailable(
                                new StorageException(StorageException.Kind.NO_SPACE, "full")));
            }
            return cut || commitsCut.test(batch)
                    ? CompletableFuture.completedFuture(new CommitResult.Unavailable(unavailable()))
                    : delay(super.commit(batch));
        }

        private CompletionStage<CommitResult> delay(CompletionStage<CommitResult> commit) {
            if (lag.isZero()) {
                return commit;
            }
            CompletableFuture<CommitResult> delayed = new CompletableFuture<>();
            Duration time = lag;
            Futures.onEnd(
                    commit,
                    (result, failure) -> cluster.later(time, () -> delayed.complete(result)));
            return delayed;
        }

        @Override
        public CompletionStage<CommitResult> resolve(WriteBatch batch) {
            return cut
                    ? CompletableFuture.completedFuture(new CommitResult.Uncertain(unavailable()))
                    : super.resolve(batch);
        }
    }
}
