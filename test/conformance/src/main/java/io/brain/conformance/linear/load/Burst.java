package io.brain.conformance.linear.load;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.Operation.Place;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.grpc.ManagedChannel;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Parallel puts. The leader cuts an update to a follower at 1 MiB or 1000 revisions. */
enum Burst {
    /** More bytes than an update has. */
    LARGE(24, 24, 100 << 10),
    /** More revisions than an update has; every key is put several times. */
    MANY(1_500, 100, 0),
    /** A last write and nothing else. */
    ONE(1, 1, 0);

    private static final long CALL_SECONDS_MAX = 9;

    private final int puts;
    private final int keys;
    private final int paddingBytes;

    Burst(int puts, int keys, int paddingBytes) {
        this.puts = puts;
        this.keys = keys;
        this.paddingBytes = paddingBytes;
    }

    /**
     * Sends all puts at once and returns when each is answered, or has failed.
     *
     * @param number makes the values unique
     */
    void send(Node to, int number, Recorder recorder) throws InterruptedException {
        ManagedChannel channel = to.channel();
        try {
            CountDownLatch open = new CountDownLatch(puts);
            for (int i = 0; i < puts; i++) {
                put(channel, to, request(number, i), recorder, open);
            }
            open.await();
        } finally {
            channel.shutdownNow();
        }
    }

    private PutRequest request(int number, int put) {
        String name = name().toLowerCase(Locale.ROOT);
        String value = name + "." + number + "." + put + ".";
        return PutRequest.newBuilder()
                .setKey(Keys.of("burst/" + name + "/" + (100 + put % keys)))
                .setValue(Keys.of(value).concat(ByteString.copyFrom(new byte[paddingBytes])))
                .build();
    }

    private void put(
            ManagedChannel channel,
            Node to,
            PutRequest put,
            Recorder recorder,
            CountDownLatch open) {
        Place place = new Place("burst", to.name(), to.program().life());
        TxnRequest request = Operation.plain(RequestOp.newBuilder().setRequestPut(put));
        long start = System.nanoTime();
        Futures.addCallback(
                KVGrpc.newFutureStub(channel)
                        .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
                        .put(put),
                new FutureCallback<PutResponse>() {
                    @Override
                    public void onSuccess(PutResponse put) {
                        TxnResponse answer =
                                TxnResponse.newBuilder()
                                        .setHeader(put.getHeader())
                                        .setSucceeded(true)
                                        .addResponses(ResponseOp.newBuilder().setResponsePut(put))
                                        .build();
                        recorder.add(Operation.answered("burst", place, start, request, answer));
                        open.countDown();
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        recorder.add(
                                Operation.unanswered(
                                        "burst", place, start, request, Operation.Outcome.UNKNOWN));
                        open.countDown();
                    }
                },
                MoreExecutors.directExecutor());
    }
}
