package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.server.etcd.Eventually;
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

@Timeout(30)
class TailTest {
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
    void updatesArriveAsTheyWereSent() throws Exception {
        link.tail(17, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        assertThat(tail.from).isEqualTo(17);
        Bytes key = Bytes.utf8("key");
        Bytes old = KeyValueCodec.encode(key, 3, 4, 2, Bytes.utf8("old"), 0);
        Bytes kv = KeyValueCodec.encode(key, 3, 17, 3, Bytes.utf8("new"), 9);
        TailUpdate first =
                new TailUpdate(
                        List.of(
                                new RevisionEvents(
                                        17,
                                        List.of(
                                                new WatchEvent(key, 17, false, kv, old),
                                                deleted("gone", 17)),
                                        false),
                                new RevisionEvents(18, List.of(), true)),
                        new Standing(
                                new ReadPoint(18, 1L << 61),
                                new Fence(2, 33, 18, 4096, 12, -7),
                                -1,
                                new RaisedAlarms(
                                        3,
                                        7,
                                        new TreeSet<>(
                                                List.of(new Alarm(-1, 2), new Alarm(5, 1))))));
        tail.target.send(first);
        RecordingSink.Told told = sink.next();
        assertSame(told.update(), first);
        told.taken().run();
        TailUpdate second = standingAt(19);
        tail.target.send(second);
        assertSame(sink.next().update(), second);
    }

    @Test
    void theNextUpdateIsToldWhenTheLastOneIsTaken() throws Exception {
        link.tail(1, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        for (int i = 1; i <= 3; i++) {
            tail.target.send(standingAt(i));
        }
        RecordingSink.Told told = sink.next();
        Thread.sleep(200);
        assertThat(sink.waiting()).isZero();
        told.taken().run();
        told.taken().run(); // counts once
        assertThat(sink.next().update().standing().point().revision()).isEqualTo(2);
        Thread.sleep(200);
        assertThat(sink.waiting()).isZero();
    }

    @Test
    void aSlowFollowerHasNoQueue() throws Exception {
        link.tail(1, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        long sent = 0;
        long bytes = 0;
        for (int quiet = 0; quiet < 20; ) {
            if (tail.target.isReady()) {
                quiet = 0;
                sent++;
                bytes += 10_000;
                tail.target.send(large(sent, 10_000));
            } else {
                quiet++;
                Thread.sleep(10);
            }
        }
        assertThat(bytes).isBetween(10_000L, 4L << 20);
        int readyBefore = tail.ready.get();
        for (long i = 1; i <= sent; i++) {
            RecordingSink.Told told = sink.next();
            assertThat(told.update().standing().point().revision()).isEqualTo(i);
            told.taken().run();
        }
        Eventually.holds(() -> tail.ready.get() > readyBefore);
        assertThat(tail.target.isReady()).isTrue();
    }

    @Test
    void anUnreadStreamKeepsNoAnswerFromComing() throws Exception {
        link.tail(1, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        for (int i = 1; i <= 4; i++) {
            tail.target.send(large(i, 1 << 20));
        }
        var call = link.submit(new ListLeases());
        node.leader.next().answer().complete(List.of(4L));
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(List.of(4L));
    }

    @Test
    void aLargeRevisionPasses() throws Exception {
        link.tail(1, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        TailUpdate update = large(1, 24 << 20);
        tail.target.send(update);
        assertSame(sink.next().update(), update);
    }

    @Test
    void theLeaderEndsTheStream() throws Exception {
        link.tail(1, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        tail.target.send(standingAt(1));
        sink.next().taken().run();
        tail.target.end();
        tail.target.send(standingAt(2)); // too late: not told
        sink.ended.get(10, TimeUnit.SECONDS);
        tail.closed.get(10, TimeUnit.SECONDS);
        assertThat(sink.waiting()).isZero();
        assertThat(sink.ends()).isEqualTo(1);
    }

    @Test
    void theFollowerEndsTheStream() throws Exception {
        link.tail(1, sink);
        FakeLeader.Tail tail = node.leader.nextTail();
        link.close();
        tail.closed.get(10, TimeUnit.SECONDS);
        assertThat(sink.ended.get(10, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(tail.target.isReady()).isFalse();
        tail.target.send(standingAt(1)); // to nobody
    }

    @Test
    void theStreamEndsWithTheLeader() throws Exception {
        link.tail(1, sink);
        node.leader.nextTail();
        node.stopListening();
        assertThat(sink.ended.get(10, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void theStreamEndsSoonWhenTheLeaderStandsStill() throws Exception {
        try (CutLine line = new CutLine(node.port())) {
            LeaderLink cut = node.link(Duration.ofSeconds(7), line.url());
            cut.tail(1, sink);
            FakeLeader.Tail tail = node.leader.nextTail();
            tail.target.send(standingAt(1));
            sink.next();
            line.cut();
            assertThat(sink.ended.get(5, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    private static TailUpdate standingAt(long revision) {
        return new TailUpdate(List.of(), standing(revision));
    }

    private static Standing standing(long revision) {
        return new Standing(
                new ReadPoint(revision, revision),
                new Fence(1, revision, revision, 0),
                revision - 1,
                RaisedAlarms.UNKNOWN);
    }

    private static TailUpdate large(long revision, int bytes) {
        Bytes key = Bytes.utf8("k");
        Bytes kv = KeyValueCodec.encode(key, 1, revision, 1, Bytes.wrap(new byte[bytes]), 0);
        WatchEvent event = new WatchEvent(key, revision, false, kv, null);
        return new TailUpdate(
                List.of(new RevisionEvents(revision, List.of(event), false)), standing(revision));
    }

    private static WatchEvent deleted(String key, long revision) {
        Bytes name = Bytes.utf8(key);
        return new WatchEvent(
                name, revision, true, KeyValueCodec.encodeDeleted(name, revision), null);
    }

    private static void assertSame(TailUpdate actual, TailUpdate expected) {
        assertThat(actual.standing()).isEqualTo(expected.standing());
        assertThat(words(actual)).isEqualTo(words(expected));
    }

    /** Events are compared by what they say. */
    private static List<Object> words(TailUpdate update) {
        List<Object> words = new ArrayList<>();
        for (RevisionEvents events : update.events()) {
            words.addAll(List.of(events.revision(), events.inLogOnly()));
            for (WatchEvent event : events.events()) {
                words.addAll(List.of(event.key(), event.revision(), event.isDelete(), event.kv()));
                words.add(event.prevKv());
            }
        }
        return words;
    }
}
