package io.brain.backend.cluster.election;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.auth.AuthState;
import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.LeaderPoint;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Member;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
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
 * A following node, and a leader that the test simulates with a leader record, an event stream, and
 * answers. The leader has member id 77, a lease of one second, and revision 5.
 */
public final class ScriptedLeader {
    private static final Duration LEASE = Duration.ofSeconds(1);

    public final SimulatedRuntime simulation = new SimulatedRuntime(1);
    final MemoryStorage storage =
            new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    final KeyCoder coder = new KeyCoder(Bytes.EMPTY);

    /** The timestamps at which the node opened snapshots. */
    final List<Long> opened = new ArrayList<>();

    final List<EventSink> streams = new ArrayList<>();
    final List<Long> from = new ArrayList<>();
    int processed;

    /** Names of the received commands. */
    public final List<String> calls = new ArrayList<>();

    /** The answer to a command, by its name. */
    public Function<String, CompletableFuture<?>> answers = name -> new CompletableFuture<>();

    /** Called before the follower opens a link. */
    Runnable onConnect = () -> {};

    LeaderRecord record = new LeaderRecord(77, 1, 1, LEASE, 5, List.of("http://leader:1"), 1, null);
    private Fence fence;
    public final Node node;

    /** Starts the leader and the node, which opens a stream. */
    public ScriptedLeader() {
        this(NodeSettings.defaults(8 << 20));
    }

    /** The same with other settings of the node, except those of its member. */
    public ScriptedLeader(NodeSettings others) {
        store(new Fence(1, 0, 5, 0));
        renew(5);
        NodeSettings settings = others.withMember("f", List.of("http://f:1"), List.of(), LEASE);
        KvStorage counted =
                new ForwardingKvStorage(storage) {
                    @Override
                    public Snapshot snapshotAt(long timestamp) {
                        opened.add(timestamp);
                        return super.snapshotAt(timestamp);
                    }
                };
        node = Node.open(counted, settings, (id, urls) -> link(), simulation.runtime());
        simulation.run();
    }

    /** Sends the leader's status on the newest stream. */
    public void sendStatus(long revision) {
        streams.get(streams.size() - 1)
                .update(new LeaderUpdate(List.of(), status(revision)), () -> processed++);
        simulation.run();
    }

    /** Sends a deletion with a read point and a compact revision. */
    void update(long revision, ReadPoint point, long floor) {
        WatchEvent event = new WatchEvent(Bytes.utf8("k"), revision, true, Bytes.utf8("k"), null);
        streams.get(streams.size() - 1)
                .update(
                        new LeaderUpdate(
                                List.of(new RevisionEvents(revision, List.of(event), false)),
                                new LeaderStatus(point, fence, floor, RaisedAlarms.UNKNOWN)),
                        () -> processed++);
        simulation.run();
    }

    /** Ends the newest stream. */
    public void breakStream() {
        streams.get(streams.size() - 1).ended();
        simulation.run();
    }

    /** Starts the next epoch of the leader. */
    public void nextEpoch() {
        store(new Fence(fence.epoch() + 1, fence.batch() + 1, fence.revision(), fence.bytes()));
        record = record.promoted(fence);
        renew(5);
    }

    /** Gives a process the next epoch, and ends the stream. */
    void handOver(MemberRecord successor) {
        sendStatus(5);
        fence = fence.promoted(7);
        record = record.successor(successor).givenWith(fence);
        storage.commit(
                WriteBatch.builder()
                        .put(coder.fenceKey(), fence.encode())
                        .put(coder.leaderKey(), record.encode())
                        .build());
        simulation.run();
        breakStream();
    }

    /** Another member, which does nothing. */
    MemberRecord successor() {
        Member member = new Member(78, "n", List.of("http://next:1"), List.of());
        return new MemberRecord(member, 1, new MemberRecord.Instance(9, LEASE, ""));
    }

    /** The node's record. */
    MemberRecord self() {
        long id = node.status().memberId();
        return MemberRecord.decode(id, stored(coder.memberKey(id)));
    }

    LeaderRecord storedRecord() {
        return LeaderRecord.decode(stored(coder.leaderKey()));
    }

    Fence storedFence() {
        return Fence.decode(stored(coder.fenceKey()));
    }

    private Bytes stored(Bytes key) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(key);
        }
    }

    /** Sends a status with this number of stored bytes. */
    public void sendStoredBytes(long bytes) {
        fence = new Fence(fence.epoch(), fence.batch() + 1, fence.revision(), bytes);
        sendStatus(fence.revision());
    }

    LeaderStatus status(long revision) {
        return new LeaderStatus(
                new ReadPoint(revision, storage.timestamp()), fence, -1, RaisedAlarms.UNKNOWN);
    }

    /** The leader's answer to a request for a read point. */
    public LeaderPoint answer(long revision) {
        return answer(revision, AuthState.INITIAL);
    }

    /** The same with a state of authentication, which the node may have to ask for. */
    public LeaderPoint answer(long revision, AuthState auth) {
        return new LeaderPoint(point(revision), auth.version());
    }

    /** A read point at the current timestamp. */
    public ReadPoint point(long revision) {
        return new ReadPoint(revision, storage.timestamp());
    }

    /** Advances the time while the leader renews its record. */
    public void advance(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            renew(record.revision());
            simulation.advance(Duration.ofMillis(100));
        }
    }

    /** Advances the time while the leader renews its record and sends its status. */
    public void advanceInContact(Duration time, long revision) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            advance(Duration.ofMillis(100));
            sendStatus(revision);
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
            @SuppressWarnings("unchecked") // the test returns results of the right type
            public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
                String name = command.plain().getClass().getSimpleName();
                calls.add(name);
                return (CompletableFuture<T>) answers.apply(name);
            }

            @Override
            public void eventStream(long first, EventSink sink) {
                from.add(first);
                streams.add(sink);
            }

            @Override
            public void close() {}
        };
    }
}
