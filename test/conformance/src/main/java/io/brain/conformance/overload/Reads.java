package io.brain.conformance.overload;

import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.concurrent.TimeoutException;

/** Overload by lists. */
final class Reads {

    private static final int CLIENTS = 200;
    private static final int VALUES = 100;
    private static final int VALUE_BYTES = 1_000_000;
    private static final int FILL_IN_FLIGHT_MAX = 8;
    private static final long SECONDS_MAX = 100;

    private Reads() {}

    /** 200 clients that list 100 MB each, all at once. */
    static Scenario lists() {
        return new Scenario("200 lists of 100 MB", Reads::fill, Reads::listAll);
    }

    private static void fill(Target target) throws InterruptedException {
        var value = Target.value(VALUE_BYTES);
        target.pipelined(
                VALUES,
                FILL_IN_FLIGHT_MAX,
                i -> {
                    var key = Target.bytes("list/" + i);
                    return target.kv()
                            .put(PutRequest.newBuilder().setKey(key).setValue(value).build());
                });
    }

    private static void listAll(Target target) throws InterruptedException, TimeoutException {
        RangeRequest list = Target.below("list/").build();
        for (int i = 0; i < CLIENTS; i++) {
            Http2StreamChannel call =
                    Connections.call(
                            target.connections().open(),
                            "/etcdserverpb.KV/Range",
                            Answers.dropped(target.ends()));
            Connections.send(call, list, true);
        }
        target.await(SECONDS_MAX, () -> target.ends().total() >= CLIENTS);
        long expected = (long) target.ends().ok() * VALUES * VALUE_BYTES;
        if (target.ends().bytes() < expected) {
            throw new IllegalStateException("only " + target.ends().bytes() + " bytes came");
        }
    }
}
