package io.brain.conformance.overload;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Overload by watchers. */
final class Watches {

    private static final String METHOD = "/etcdserverpb.Watch/Watch";
    private static final int CONNECTIONS = 10;
    private static final int STREAMS = 100;
    private static final int WATCHERS = 10;
    private static final int HOT_PUTS = 50;
    private static final int NON_READING_PUTS = 4_000;
    private static final int NON_READING_VALUE_BYTES = 64 * 1024;
    private static final int BEHIND = 200_000;
    private static final int BEHIND_KEYS = 1_000;
    private static final int BEHIND_VALUE_BYTES = 256;
    private static final long SECONDS_MAX = 45;
    private static final ByteString ALL = ByteString.copyFrom(new byte[] {0});

    private Watches() {}

    /** 10 000 watchers of one key that changes 50 times. */
    static Scenario many() {
        return new Scenario("10 000 watchers", target -> {}, Watches::watchHotKey);
    }

    /** One watcher of everything that never reads while 250 MiB are written. */
    static Scenario nonReading() {
        return new Scenario("never reads", target -> {}, Watches::writeToNonReading);
    }

    /** A watcher that begins 200 000 revisions ago. */
    static Scenario behind() {
        return new Scenario(
                "200 000 revisions behind",
                target -> put(target, BEHIND, BEHIND_KEYS, BEHIND_VALUE_BYTES),
                Watches::catchUp);
    }

    private static void watchHotKey(Target target) throws InterruptedException, TimeoutException {
        ByteString hot = Target.bytes("hot");
        WatchRequest watch = watch(WatchCreateRequest.newBuilder().setKey(hot));
        AtomicLong created = new AtomicLong();
        AtomicLong events = new AtomicLong();
        for (int i = 0; i < CONNECTIONS; i++) {
            Channel connection = target.connections().open();
            for (int j = 0; j < STREAMS; j++) {
                Http2StreamChannel stream = open(target, connection, created, events);
                for (int k = 0; k < WATCHERS; k++) {
                    Connections.send(stream, watch, false);
                }
            }
        }
        long watchers = (long) CONNECTIONS * STREAMS * WATCHERS;
        target.await(SECONDS_MAX, () -> created.get() >= watchers);
        var value = Target.value(100);
        target.pipelined(
                HOT_PUTS,
                i -> target.kv().put(PutRequest.newBuilder().setKey(hot).setValue(value).build()));
        target.await(SECONDS_MAX, () -> events.get() >= watchers * HOT_PUTS);
    }

    private static void writeToNonReading(Target target) throws InterruptedException {
        Http2StreamChannel stream =
                Connections.call(
                        target.connections().openNonReading(),
                        METHOD,
                        Answers.dropped(target.ends()));
        Connections.send(stream, watch(everything().setPrevKv(true)), false);
        put(target, NON_READING_PUTS, 50, NON_READING_VALUE_BYTES);
    }

    private static void catchUp(Target target) throws InterruptedException, TimeoutException {
        AtomicLong events = new AtomicLong();
        Http2StreamChannel stream =
                open(target, target.connections().open(), new AtomicLong(), events);
        Connections.send(stream, watch(everything().setStartRevision(2)), false);
        target.await(SECONDS_MAX, () -> events.get() >= BEHIND);
    }

    private static Http2StreamChannel open(
            Target target, Channel connection, AtomicLong created, AtomicLong events)
            throws InterruptedException {
        Answers answers =
                Answers.read(
                        target.ends(),
                        message -> {
                            WatchResponse response = parsed(message);
                            if (response.getCanceled()) {
                                target.ends().ended("canceled: " + response.getCancelReason());
                            } else if (response.getCreated()) {
                                created.incrementAndGet();
                            }
                            events.addAndGet(response.getEventsCount());
                        });
        return Connections.call(connection, METHOD, answers);
    }

    private static void put(Target target, int count, int keys, int valueBytes)
            throws InterruptedException {
        ByteString value = Target.value(valueBytes);
        target.pipelined(
                count,
                i -> {
                    ByteString key = Target.bytes("key/" + i % keys);
                    return target.kv()
                            .put(PutRequest.newBuilder().setKey(key).setValue(value).build());
                });
    }

    private static WatchCreateRequest.Builder everything() {
        return WatchCreateRequest.newBuilder().setKey(ALL).setRangeEnd(ALL);
    }

    private static WatchRequest watch(WatchCreateRequest.Builder create) {
        return WatchRequest.newBuilder().setCreateRequest(create).build();
    }

    private static WatchResponse parsed(byte[] message) {
        try {
            return WatchResponse.parseFrom(message);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}
