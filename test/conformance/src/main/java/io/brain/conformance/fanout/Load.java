package io.brain.conformance.fanout;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Puts at a steady pace, below one prefix.
 *
 * @param puts how many
 * @param perSecond how many of them in a second
 */
record Load(int puts, long perSecond) {

    static final ByteString PREFIX = Keys.of("/registry/pods/");
    static final int VALUE_BYTES = 600;

    private static final int KEYS = 200;
    private static final int UNDER_WAY_MAX = 64;
    private static final long PUT_SECONDS_MAX = 20;
    private static final ByteString VALUE = ByteString.copyFrom(new byte[VALUE_BYTES]);

    /** Writes every key once, so that each later put replaces a value; the newest revision. */
    static long fill(ManagedChannel channel) {
        long revision = 0;
        for (int i = 0; i < KEYS; i++) {
            revision =
                    KVGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(PUT_SECONDS_MAX, TimeUnit.SECONDS)
                            .put(put(i))
                            .getHeader()
                            .getRevision();
        }
        return revision;
    }

    /**
     * Puts them all, each when it is due, unless too many are under way.
     *
     * @return how long each took, in ms, from when it was due
     * @throws IOException if one failed
     */
    List<Double> run(ManagedChannel channel) throws IOException, InterruptedException {
        List<Double> millis = Collections.synchronizedList(new ArrayList<>());
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Semaphore room = new Semaphore(UNDER_WAY_MAX);
        long start = System.nanoTime();
        for (int i = 0; i < puts && failure.get() == null; i++) {
            long due = start + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            room.acquire();
            KVGrpc.newStub(channel)
                    .withDeadlineAfter(PUT_SECONDS_MAX, TimeUnit.SECONDS)
                    .put(put(i), new Answer(due, millis, failure, room));
        }
        room.acquire(UNDER_WAY_MAX);
        if (failure.get() != null) {
            throw new IOException("a put failed", failure.get());
        }
        return List.copyOf(millis);
    }

    private static PutRequest put(int number) {
        ByteString key = PREFIX.concat(Keys.of("default/pod-" + (1000 + number % KEYS)));
        return PutRequest.newBuilder().setKey(key).setValue(VALUE).build();
    }

    /** Notes how a put ended. */
    private record Answer(
            long due, List<Double> millis, AtomicReference<Throwable> failure, Semaphore room)
            implements StreamObserver<PutResponse> {

        @Override
        public void onNext(PutResponse response) {
            millis.add((System.nanoTime() - due) / 1e6);
        }

        @Override
        public void onError(Throwable cause) {
            failure.compareAndSet(null, cause);
            room.release();
        }

        @Override
        public void onCompleted() {
            room.release();
        }
    }
}
