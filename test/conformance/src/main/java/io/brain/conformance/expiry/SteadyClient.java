package io.brain.conformance.expiry;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.grpc.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Puts and gets one key in turn at a fixed rate. A time counts from when the call was due, so that
 * a pause of the server counts for every call that it delays.
 */
final class SteadyClient extends Thread {
    private static final ByteString KEY = ByteString.copyFromUtf8("/steady/key");
    private static final ByteString VALUE = ByteString.copyFrom(new byte[100]);

    private final KVGrpc.KVBlockingStub kv;
    private final long intervalNanos;
    private List<Double> millis = new ArrayList<>();
    private volatile boolean ended;
    private volatile RuntimeException failure;

    SteadyClient(Channel channel, long perSecond) {
        super("steady-client");
        setDaemon(true);
        kv = KVGrpc.newBlockingStub(channel).withDeadlineAfter(Duration.ofHours(1));
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    @Override
    public void run() {
        long due = System.nanoTime();
        try {
            for (long i = 0; !ended; i++) {
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                call(i);
                add((System.nanoTime() - due) / 1e6);
                due += intervalNanos;
            }
        } catch (InterruptedException stopped) {
            currentThread().interrupt();
        } catch (RuntimeException failed) {
            failure = failed;
        }
    }

    private void call(long number) {
        if (number % 2 == 0) {
            kv.put(PutRequest.newBuilder().setKey(KEY).setValue(VALUE).build());
        } else if (kv.range(RangeRequest.newBuilder().setKey(KEY).build()).getCount() != 1) {
            throw new IllegalStateException("the key is gone");
        }
    }

    private synchronized void add(double took) {
        millis.add(took);
    }

    /** The times since the last call of this method, sorted. */
    synchronized List<Double> take() {
        if (failure != null) {
            throw failure;
        }
        List<Double> taken = millis;
        millis = new ArrayList<>();
        return taken.stream().sorted().toList();
    }

    void end() throws InterruptedException {
        ended = true;
        join();
    }
}
