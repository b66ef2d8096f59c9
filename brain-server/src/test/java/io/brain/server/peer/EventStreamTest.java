package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.server.Eventually;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventStreamTest {
    private PeerNode node;
    private LeaderLink link;
    private final RecordingSink sink = new RecordingSink();

    @BeforeEach
    void start() throws Exception {
        node = new PeerNode();
        link = node.link();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void updatesAreReceivedUnchanged() throws Exception {
        link.eventStream(17, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        assertThat(stream.from).isEqualTo(17);
        assertThat(stream.target.member()).isEqualTo(PeerNode.FOLLOWER);
        Bytes key = Bytes.utf8("key");
        Bytes old = KeyValueCodec.encode(key, 3, 4, 2, Bytes.utf8("old"), 0);
        Bytes kv = KeyValueCodec.encode(key, 3, 17, 3, Bytes.utf8("new"), 9);
        LeaderUpdate first =
                new LeaderUpdate(
                        List.of(
                                new RevisionEvents(
                                        17,
                                        List.of(
                                                new WatchEvent(key, 17, false, kv, old),
                                                deleted("gone", 17)),
                                        false),
                                new RevisionEvents(18, List.of(), true)),
                        new LeaderStatus(
                                new ReadPoint(18, 1L << 61),
                                new Fence(2, 33, 18, 4096, 12, -7),
                                -1,
                                new RaisedAlarms(
                                        3,
                                        7,
                                        new TreeSet<>(List.of(new Alarm(-1, 2), new Alarm(5, 1)))),
                                41,
                                -42,
                                null));
        stream.target.send(first);
        RecordingSink.Received received = sink.next();
        assertSame(received.update(), first);
        received.processed().run();
        LeaderUpdate second = statusAt(19);
        stream.target.send(second);
        assertSame(sink.next().update(), second);
    }

    @Test
    void theNextUpdateIsDeliveredWhenTheLastOneIsProcessed() throws Exception {
        link.eventStream(1, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        for (int i = 1; i <= 3; i++) {
            stream.target.send(statusAt(i));
        }
        RecordingSink.Received received = sink.next();
        Thread.sleep(200);
        assertThat(sink.waiting()).isZero();
        received.processed().run();
        received.processed().run(); // has no effect
        assertThat(sink.next().update().status().point().revision()).isEqualTo(2);
        Thread.sleep(200);
        assertThat(sink.waiting()).isZero();
    }

    @Test
    void aSlowFollowerHasNoQueue() throws Exception {
        link.eventStream(1, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        long sent = 0;
        long bytes = 0;
        int readyBefore = 0;
        for (int quiet = 0; quiet < 20; ) {
            int ready = stream.ready.get();
            if (stream.target.isReady()) {
                quiet = 0;
                sent++;
                bytes += 10_000;
                stream.target.send(large(sent, 10_000));
            } else {
                readyBefore = ready;
                quiet++;
                Thread.sleep(10);
            }
        }
        assertThat(bytes).isBetween(10_000L, 4L << 20);
        for (long i = 1; i <= sent; i++) {
            RecordingSink.Received received = sink.next();
            assertThat(received.update().status().point().revision()).isEqualTo(i);
            received.processed().run();
        }
        int last = readyBefore;
        Eventually.holds(() -> stream.ready.get() > last && stream.target.isReady());
    }

    @Test
    void anUnreadStreamDoesNotBlockResponses() throws Exception {
        link.eventStream(1, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        for (int i = 1; i <= 4; i++) {
            stream.target.send(large(i, 1 << 20));
        }
        var call = link.submit(new ListLeases());
        node.leader.next().result().complete(List.of(4L));
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(List.of(4L));
    }

    @Test
    void aLargeRevisionIsReceived() throws Exception {
        link.eventStream(1, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        LeaderUpdate update = large(1, 24 << 20);
        stream.target.send(update);
        assertSame(sink.next().update(), update);
    }

    @Test
    void theLeaderClosesTheStream() throws Exception {
        link.eventStream(1, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        stream.target.send(statusAt(1));
        sink.next().processed().run();
        stream.target.end();
        stream.target.send(statusAt(2)); // ignored
        sink.ended.get(30, TimeUnit.SECONDS);
        stream.closed.get(30, TimeUnit.SECONDS);
        assertThat(sink.waiting()).isZero();
        assertThat(sink.ends()).isEqualTo(1);
    }

    @Test
    void theFollowerClosesTheStream() throws Exception {
        link.eventStream(1, sink);
        FakeLeader.Stream stream = node.leader.nextStream();
        link.close();
        stream.closed.get(30, TimeUnit.SECONDS);
        assertThat(sink.ended.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(stream.target.isReady()).isFalse();
        stream.target.send(statusAt(1)); // ignored
    }

    @Test
    void theStreamEndsWithTheLeader() throws Exception {
        link.eventStream(1, sink);
        node.leader.nextStream();
        node.stopListening();
        assertThat(sink.ended.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void theStreamEndsSoonWhenTheLeaderHangs() throws Exception {
        try (CutLine line = new CutLine(node.port())) {
            LeaderLink cutLink = node.link(Duration.ofSeconds(60), line.url());
            cutLink.eventStream(1, sink);
            FakeLeader.Stream stream = node.leader.nextStream();
            stream.target.send(statusAt(1));
            sink.next();
            line.cut();
            assertThat(sink.ended.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    private static LeaderUpdate statusAt(long revision) {
        return new LeaderUpdate(List.of(), status(revision));
    }

    private static LeaderStatus status(long revision) {
        return new LeaderStatus(
                new ReadPoint(revision, revision),
                new Fence(1, revision, revision, 0),
                revision - 1,
                RaisedAlarms.UNKNOWN);
    }

    private static LeaderUpdate large(long revision, int bytes) {
        Bytes key = Bytes.utf8("k");
        Bytes kv = KeyValueCodec.encode(key, 1, revision, 1, Bytes.wrap(new byte[bytes]), 0);
        WatchEvent event = new WatchEvent(key, revision, false, kv, null);
        return new LeaderUpdate(
                List.of(new RevisionEvents(revision, List.of(event), false)), status(revision));
    }

    private static WatchEvent deleted(String key, long revision) {
        Bytes name = Bytes.utf8(key);
        return new WatchEvent(
                name, revision, true, KeyValueCodec.encodeDeleted(name, revision), null);
    }

    private static void assertSame(LeaderUpdate actual, LeaderUpdate expected) {
        assertThat(actual.status()).isEqualTo(expected.status());
        assertThat(content(actual)).isEqualTo(content(expected));
    }

    /** Events have no equals(). */
    private static List<Object> content(LeaderUpdate update) {
        List<Object> content = new ArrayList<>();
        for (RevisionEvents events : update.events()) {
            content.addAll(List.of(events.revision(), events.inLogOnly()));
            for (WatchEvent event : events.events()) {
                content.addAll(
                        List.of(event.key(), event.revision(), event.isDelete(), event.kv()));
                content.add(event.prevKv());
            }
        }
        return content;
    }
}
