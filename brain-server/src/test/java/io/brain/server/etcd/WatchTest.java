package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchSink.Refusal;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.WatchCancelRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchProgressRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.brain.server.Eventually;
import io.brain.server.FakeBackend;
import io.brain.server.FakeBackend.FakeWatch;
import io.brain.server.TestServer;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchTest {
    private TestServer server;
    private RawCall call;
    private FakeWatch watch;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer();
        call = new RawCall(server.channel(), "etcdserverpb.Watch/Watch");
        Eventually.holds(() -> !server.backend.watches.isEmpty());
        watch = server.backend.watches.element();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void requestsArePassedOnInOrder() throws Exception {
        call.send(create("a")).send(cancel(5)).send(progress()).send(new byte[0]).send(cancel(6));
        Eventually.holds(() -> watch.asked.size() == 4);
        List<Object> asked = new ArrayList<>(watch.asked);
        assertThat(((io.brain.backend.watch.WatchRequest) asked.get(0)).span())
                .isEqualTo(KeySpan.of(Bytes.utf8("a")));
        assertThat(asked.subList(1, 4)).containsExactly(5L, "progress", 6L);
    }

    @Test
    void watcherChangesHaveEtcdsResponses() throws Exception {
        watch.sink.created(4, 9);
        assertThat(next()).isEqualTo(response(9).setWatchId(4).setCreated(true).build());
        watch.sink.progress(-1, 10);
        assertThat(next()).isEqualTo(response(10).setWatchId(-1).build());
        watch.sink.canceled(4, 11);
        assertThat(next()).isEqualTo(response(11).setWatchId(4).setCanceled(true).build());
        watch.sink.compacted(4, 7);
        assertThat(next())
                .isEqualTo(
                        response(0).setWatchId(4).setCanceled(true).setCompactRevision(7).build());
    }

    @Test
    void refusedWatchersHaveEtcdsTexts() throws Exception {
        watch.sink.refused(9, Refusal.DUPLICATE_ID);
        assertThat(next())
                .isEqualTo(refused("mvcc: duplicate watch ID provided on the WatchStream"));
        watch.sink.refused(9, Refusal.EMPTY_RANGE);
        assertThat(next()).isEqualTo(refused("mvcc: watcher range is empty"));
        watch.sink.refused(9, Refusal.NEGATIVE_REVISION);
        assertThat(next())
                .isEqualTo(refused("etcdserver: mvcc: required revision has been compacted"));
    }

    @Test
    void eventsAreSentInOrderWithPreviousKeyValuesIfRequested() throws Exception {
        Bytes kv = KeyValueCodec.encode(Bytes.utf8("a"), 2, 3, 2, Bytes.utf8("new"), 0);
        Bytes prev = KeyValueCodec.encode(Bytes.utf8("a"), 2, 2, 1, Bytes.utf8("old"), 0);
        List<WatchEvent> events =
                List.of(
                        new WatchEvent(Bytes.utf8("a"), 3, false, kv, prev),
                        new WatchEvent(
                                Bytes.utf8("b"),
                                3,
                                true,
                                KeyValueCodec.encodeDeleted(Bytes.utf8("b"), 3),
                                null));
        watch.sink.events(4, 3, events, true, false);
        WatchResponse withPrev = next();
        assertThat(withPrev.getHeader().getRevision()).isEqualTo(3);
        assertThat(withPrev.getEvents(0).getPrevKv().getValue().toStringUtf8()).isEqualTo("old");
        assertThat(withPrev.getEvents(0).getKv().getValue().toStringUtf8()).isEqualTo("new");
        assertThat(withPrev.getEvents(1).getType()).isEqualTo(Event.EventType.DELETE);
        assertThat(withPrev.getEvents(1).getKv().getModRevision()).isEqualTo(3);
        watch.sink.events(4, 3, events, false, false);
        assertThat(next().getEvents(0).hasPrevKv()).isFalse();
    }

    @Test
    void aLargeResponseIsFragmentedIfRequested() throws Exception {
        List<WatchEvent> five = Collections.nCopies(5, event(700 << 10));
        watch.sink.events(4, 3, five, false, true);
        for (int count : new int[] {2, 2, 1}) {
            WatchResponse part = next();
            assertThat(part.getEventsCount()).isEqualTo(count);
            assertThat(part.getFragment()).isEqualTo(count == 2);
            assertThat(part.getWatchId()).isEqualTo(4);
            assertThat(part.getHeader().getRevision()).isEqualTo(3);
            assertThat(part.getSerializedSize()).isLessThan(2 << 20);
        }
        watch.sink.events(4, 3, five, false, false);
        assertThat(next().getEventsCount()).isEqualTo(5);
    }

    @Test
    void aFragmentIsBelowTheLimit() throws Exception {
        // Two events and the header have exactly the limit, which is exclusive.
        for (int spare : new int[] {0, 1}) {
            int limit = (2 << 20) - spare;
            int size = limit / 2 - 40;
            while (sizeOfTwo(size) < limit) {
                size++;
            }
            List<WatchEvent> two = List.of(event(size), event(size - (sizeOfTwo(size) - limit)));
            watch.sink.events(4, 3, two, false, true);
            WatchResponse first = next();
            assertThat(first.getEventsCount()).isEqualTo(spare == 0 ? 1 : 2);
            assertThat(first.getFragment()).isEqualTo(spare == 0);
            if (spare == 0) {
                assertThat(next().getFragment()).isFalse();
            }
        }
    }

    @Test
    void anEventAboveTheLimitIsAFragment() throws Exception {
        watch.sink.events(4, 3, List.of(event(3 << 20), event(3 << 20)), false, true);
        WatchResponse first = next();
        assertThat(first.getEventsCount()).isEqualTo(1);
        assertThat(first.getFragment()).isTrue();
        assertThat(next().getFragment()).isFalse();
    }

    @Test
    void aHalfClosedStreamContinues() throws Exception {
        call.halfClose();
        watch.sink.created(4, 9);
        assertThat(next().getCreated()).isTrue();
        assertThat(watch.closed).isNotDone();
    }

    @Test
    void aCancelledStreamIsClosed() throws Exception {
        call.cancel();
        Eventually.holds(watch.closed::isDone);
        // Later responses are ignored.
        watch.sink.progress(-1, 10);
    }

    @Test
    void anErrorOfTheBackendClosesTheStreamWithEtcdsText() throws Exception {
        watch.sink.failed(new BackendException(ErrorKind.STOPPED));
        Status end = call.end();
        assertThat(end.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(end.getDescription()).isEqualTo("etcdserver: server stopped");
        watch.sink.created(1, 1);
    }

    @Test
    void aMalformedRequestClosesTheStream() throws Exception {
        call.send(new byte[] {0x0a, 0x7f});
        assertThat(call.end().getCode()).isEqualTo(Status.Code.INTERNAL);
        Eventually.holds(watch.closed::isDone);
    }

    @Test
    void requestsOfAnyKindWaitWhileTooManyArePending() throws Exception {
        for (int i = 0; i < 400; i++) {
            call.send(create("a")).send(cancel(i)).send(progress());
        }
        Eventually.holds(() -> watch.asked.size() >= 256);
        Thread.sleep(50);
        assertThat(watch.asked).hasSize(256);
        for (int i = 0; i < 100; i++) {
            watch.sink.taken();
        }
        Eventually.holds(() -> watch.asked.size() == 356);
    }

    @Test
    void aStalledClientIsDisconnected() throws Exception {
        watch.sink.stalled();
        assertThat(call.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        // Later responses are ignored.
        watch.sink.progress(-1, 10);
    }

    @Test
    void aStreamIsNotReadyWhileTheClientDoesNotRead() throws Exception {
        RawCall slow = new RawCall(server.channel(), "etcdserverpb.Watch/Watch", new Metadata(), 0);
        Eventually.holds(() -> server.backend.watches.size() == 2);
        FakeWatch second = new ArrayList<>(server.backend.watches).get(1);
        Eventually.holds(second.sink::isReady);
        // Exceeds the client's window.
        second.sink.events(4, 3, List.of(event(4 << 20)), false, false);
        assertThat(second.sink.isReady()).isFalse();
        // One request was expected since the start; others wait until the stream is ready.
        slow.send(create("a")).send(create("b")).send(create("c"));
        Eventually.holds(() -> !second.asked.isEmpty());
        Thread.sleep(50);
        assertThat(second.asked).hasSize(1);
        slow.request(1000);
        Eventually.holds(() -> second.asked.size() == 3);
        Eventually.holds(second.sink::isReady);
    }

    private WatchResponse next() throws Exception {
        return WatchResponse.parseFrom(call.next());
    }

    private static WatchResponse.Builder response(long revision) {
        return WatchResponse.newBuilder()
                .setHeader(
                        ResponseHeader.newBuilder()
                                .setClusterId(FakeBackend.CLUSTER)
                                .setMemberId(FakeBackend.MEMBER)
                                .setRevision(revision)
                                .setRaftTerm(FakeBackend.EPOCH));
    }

    private static WatchResponse refused(String reason) {
        return response(9)
                .setWatchId(-1)
                .setCreated(true)
                .setCanceled(true)
                .setCancelReason(reason)
                .build();
    }

    private static WatchEvent event(int valueBytes) {
        Bytes key = Bytes.utf8("a");
        Bytes kv = KeyValueCodec.encode(key, 3, 3, 1, Bytes.wrap(new byte[valueBytes]), 0);
        return new WatchEvent(key, 3, false, kv, null);
    }

    private static int sizeOfTwo(int valueBytes) {
        ByteString event = ByteStrings.wrap(event(valueBytes).encoded(false));
        return io.brain.proto.stored.WatchResponse.newBuilder()
                .setHeader(response(3).getHeader())
                .setWatchId(4)
                .addEvents(event)
                .addEvents(event)
                .build()
                .getSerializedSize();
    }

    private static byte[] create(String key) {
        return WatchRequest.newBuilder()
                .setCreateRequest(
                        WatchCreateRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)))
                .build()
                .toByteArray();
    }

    private static byte[] cancel(long id) {
        return WatchRequest.newBuilder()
                .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(id))
                .build()
                .toByteArray();
    }

    private static byte[] progress() {
        return WatchRequest.newBuilder()
                .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                .build()
                .toByteArray();
    }
}
