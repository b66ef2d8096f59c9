package io.brain.conformance.cluster.transfer;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

/**
 * Puts at a fixed rate, whether answers come or not: a put's time counts from when it was due, so a
 * stall is seen by every put that it delays.
 */
public final class PacedPuts {
    private static final int IN_FLIGHT_MAX = 20_000;

    private final EtcdClient client;
    private final KVGrpc.KVFutureStub kv;
    private final int keys;
    private final int valueBytes;
    private final int perSecond;
    private final Random random = new Random();
    private final Queue<Put> done = new ConcurrentLinkedQueue<>();
    private final Semaphore free = new Semaphore(IN_FLIGHT_MAX);
    private final AtomicInteger failed = new AtomicInteger();
    private volatile boolean stopped;
    private Thread thread;

    private record Put(long dueNanos, long nanos) {}

    /**
     * Times of some puts.
     *
     * @param p99Millis of all, 99 % took at most this long
     */
    public record Times(int count, double p50Millis, double p99Millis, double maxMillis) {
        @Override
        public String toString() {
            return "%d, p50 %.1f ms, p99 %.1f ms, max %.0f ms"
                    .formatted(count, p50Millis, p99Millis, maxMillis);
        }
    }

    /** Puts values of this length at so many keys in random order. */
    public PacedPuts(EtcdClient client, int keys, int valueBytes, int perSecond) {
        this.client = client;
        this.kv = KVGrpc.newFutureStub(client.channel());
        this.keys = keys;
        this.valueBytes = valueBytes;
        this.perSecond = perSecond;
    }

    /** Puts each key once, as fast as possible. */
    public void fill() throws InterruptedException {
        new Pipeline(client).fill("paced/", keys, valueBytes, random);
    }

    public void start() {
        thread = new Thread(this::run, "paced-puts");
        thread.setDaemon(true);
        thread.start();
    }

    /** Ends the puts and waits for all answers. */
    public void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        free.acquire(IN_FLIGHT_MAX);
    }

    /** Puts that were not answered with success. */
    public int failed() {
        return failed.get();
    }

    private void run() {
        byte[] value = new byte[valueBytes];
        long began = System.nanoTime();
        try {
            for (long i = 0; !stopped; i++) {
                long due = began + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                random.nextBytes(value);
                free.acquire();
                send(due, ByteString.copyFrom(value));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(long due, ByteString value) {
        PutRequest put =
                PutRequest.newBuilder()
                        .setKey(Keys.of("paced/" + random.nextInt(keys)))
                        .setValue(value)
                        .build();
        Futures.addCallback(
                kv.put(put),
                new FutureCallback<PutResponse>() {
                    @Override
                    public void onSuccess(PutResponse answer) {
                        done.add(new Put(due, System.nanoTime() - due));
                        free.release();
                    }

                    @Override
                    public void onFailure(Throwable error) {
                        failed.incrementAndGet();
                        free.release();
                    }
                },
                MoreExecutors.directExecutor());
    }

    /** The times of puts that were due from a time on, and then; both as System.nanoTime. */
    public Times times(long fromNanos, LongPredicate then) {
        double[] millis =
                done.stream()
                        .filter(put -> put.dueNanos() - fromNanos >= 0 && then.test(put.dueNanos()))
                        .mapToDouble(put -> put.nanos() / 1e6)
                        .toArray();
        Arrays.sort(millis);
        return new Times(
                millis.length,
                millis[millis.length / 2],
                millis[millis.length * 99 / 100],
                millis[millis.length - 1]);
    }
}
