package io.brain.conformance.overload;

import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A healthy client: it puts and gets in turn, with a short pause, and notes how long each took. */
final class Probe {

    private static final int PAUSE_MILLIS = 5;
    private static final int PAUSE_AFTER_FAILURE_MILLIS = 100;
    private static final long DEADLINE_SECONDS = 60;

    private final ManagedChannel channel;
    private final Thread thread = new Thread(this::work, "healthy-client");
    private final Ends ends;
    private final List<Double> puts = new ArrayList<>();
    private final List<Double> gets = new ArrayList<>();
    private volatile boolean measures;
    private volatile boolean stopped;

    /**
     * @param ends notes what was refused to it
     */
    Probe(int port, Ends ends) {
        this.ends = ends;
        this.channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .directExecutor()
                        .build();
        thread.setDaemon(true);
        thread.start();
    }

    /** From now on it counts: before, both sides warm up. */
    void measure() {
        measures = true;
    }

    /** Ends its work after what is under way. */
    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        channel.shutdownNow();
    }

    /** Of its puts, after {@link #stop()}. */
    Latency puts() {
        return Latency.of(puts);
    }

    Latency gets() {
        return Latency.of(gets);
    }

    private void work() {
        PutRequest put =
                PutRequest.newBuilder()
                        .setKey(Target.bytes("healthy"))
                        .setValue(Target.value(256))
                        .build();
        RangeRequest get = RangeRequest.newBuilder().setKey(put.getKey()).build();
        try {
            while (!stopped) {
                boolean wrote = time(puts, () -> kv().put(put));
                boolean read = time(gets, () -> kv().range(get));
                Thread.sleep(wrote && read ? PAUSE_MILLIS : PAUSE_AFTER_FAILURE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** True when it was answered; a refusal counts with the time that it took. */
    private boolean time(List<Double> millis, Runnable call) {
        boolean counts = measures;
        long started = System.nanoTime();
        boolean served = true;
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            served = false;
            ends.ended("healthy client: " + e.getStatus().getCode());
        }
        if (counts) {
            millis.add((System.nanoTime() - started) / 1e6);
        }
        return served;
    }

    private KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(channel)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
}
