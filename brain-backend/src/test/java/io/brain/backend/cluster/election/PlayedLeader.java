package io.brain.backend.cluster.election;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.cluster.link.TailSink;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A node that follows, and a leader that the test plays: by its record in the store, its stream of
 * commits, and its answers. Its member id is 77, its lease a second, its revision 5.
 */
public final class PlayedLeader {
    private static final Duration LEASE = Duration.ofSeconds(1);

    public final SimulatedRuntime simulation = new SimulatedRuntime(1);
    final MemoryStorage storage =
            new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    final List<TailSink> streams = new ArrayList<>();
    final List<Long> from = new ArrayList<>();
    int taken;

    /** Names of the commands that came. */
    public final List<String> calls = new ArrayList<>();

    /** Answers a command by its name. */
    public Function<String, CompletableFuture<?>> answers = name -> new CompletableFuture<>();

    /** Runs when the follower is about to open a link. */
    Runnable onConnect = () -> {};

    LeaderRecord record = new LeaderRecord(77, 1, 0, LEASE, 0, 5, List.of("http://leader:1"), 1);
    private Fence fence;
    public final Node node;

    /** The leader leads, and the node has opened its stream. */
    public PlayedLeader() {
        this(NodeSettings.defaults(8 << 20));
    }

    /** The same with settings of the node, but for its member's. */
    public PlayedLeader(NodeSettings others) {
        store(new Fence(1, 0, 5, 0));
        renew(5);
        NodeSettings settings = others.withMember("f", List.of("http://f:1"), List.of(), LEASE);
        node = Node.open(storage, settings, (id, urls) -> link(), simulation.runtime());
        simulation.run();
    }

    /** Tells the follower, on its newest stream, where the leader stands. */
    public void tell(long revision) {
        streams.get(streams.size() - 1)
                .update(new TailUpdate(List.of(), standing(revision)), () -> taken++);
        simulation.run();
    }

    /** Sends one revision's deletion of a key, and a read point and floor with it. */
    void update(long revision, ReadPoint point, long floor) {
        WatchEvent event = new WatchEvent(Bytes.utf8("k"), revision, true, Bytes.utf8("k"), null);
        streams.get(streams.size() - 1)
                .update(
                        new TailUpdate(
                                List.of(new RevisionEvents(revision, List.of(event), false)),
                                new Standing(point, fence, floor, RaisedAlarms.UNKNOWN)),
                        () -> taken++);
        simulation.run();
    }

    /** The follower's newest stream ends. */
    public void breakStream() {
        streams.get(streams.size() - 1).ended();
        simulation.run();
    }

    /** The leader leads anew, in another epoch. */
    public void nextEpoch() {
        store(new Fence(fence.epoch() + 1, fence.batch() + 1, fence.revision(), fence.bytes()));
        record = record.promoted(fence.epoch(), 5);
        renew(5);
    }

    /** The leader says that so much is stored. */
    public void tellStored(long bytes) {
        fence = new Fence(fence.epoch(), fence.batch() + 1, fence.revision(), bytes);
        tell(fence.revision());
    }

    Standing standing(long revision) {
        return new Standing(
                new ReadPoint(revision, storage.timestamp()), fence, -1, RaisedAlarms.UNKNOWN);
    }

    /** A state that can be read now. */
    public ReadPoint point(long revision) {
        return new ReadPoint(revision, storage.timestamp());
    }

    /** Time passes while the leader renews its record, as one does that lives. */
    public void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            renew(record.revision());
            simulation.advance(Duration.ofMillis(100));
        }
    }

    /** The same; its stream lives, too. */
    public void passInContact(Duration time, long revision) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            pass(Duration.ofMillis(100));
            tell(revision);
        }
    }

    void renew(long revision) {
        record = record.renewed(revision);
        storage.commit(WriteBatch.builder().put(coder.leaderKey(), record.encode()).build());
        simulation.run();
    }

    void store(Fence next) {
        fence = next;
        storage.commit(WriteBatch.builder().put(coder.fenceKey(), fence.encode()).build());
        simulation.run();
    }

    private LeaderLink link() {
        onConnect.run();
        return new LeaderLink() {
            @Override
            @SuppressWarnings("unchecked") // the test answers with what was asked for
            public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
                String name = command.getClass().getSimpleName();
                calls.add(name);
                return (CompletableFuture<T>) answers.apply(name);
            }

            @Override
            public void tail(long first, TailSink sink) {
                from.add(first);
                streams.add(sink);
            }

            @Override
            public void close() {}
        };
    }
}
