package io.brain.bench.shape;

import com.google.protobuf.ByteString;
import io.brain.bench.wire.GrpcCaller;
import io.brain.bench.wire.WatchReader;
import io.brain.bench.wire.WatchStream;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/**
 * Watchers on several streams and connections. Counts are confined to the client's event loop, the
 * rest to the thread that runs the rounds.
 */
final class Watchers implements AutoCloseable {

    private static final int STREAM_WATCHERS_MAX = 100;
    private static final int STREAM_WATCHERS = 10;
    private static final int STREAMS_MAX = 100;
    private static final int CREATE_SECONDS_MAX = 60;

    /** Created at a time, because answers may be slow. */
    private static final int CREATE_BATCH = 500;

    private final Target target;
    private final LongConsumer stamps;
    private final List<GrpcCaller> callers = new ArrayList<>();
    private final List<WatchStream> streams = new ArrayList<>();
    private int created;
    private long delivered;
    private String failure;

    /**
     * Creates an empty set.
     *
     * @param stamps receives the first eight bytes of each delivered value, on the event loop
     */
    Watchers(Target target, LongConsumer stamps) {
        this.target = target;
        this.stamps = stamps;
    }

    /**
     * Creates watchers, and waits for all.
     *
     * @param requests by number of the watcher
     * @throws IOException if one cannot be created
     */
    void open(int count, IntFunction<WatchCreateRequest> requests)
            throws IOException, InterruptedException {
        int streamCount =
                Math.max(
                        Math.min(STREAMS_MAX, Math.max(1, count / STREAM_WATCHERS)),
                        (count + STREAM_WATCHERS_MAX - 1) / STREAM_WATCHERS_MAX);
        int connections = Math.min(streamCount, target.settings().connections());
        for (int i = 0; i < connections; i++) {
            callers.add(target.grpcCaller());
        }
        target.loop()
                .run(
                        () -> {
                            for (int i = 0; i < streamCount; i++) {
                                streams.add(callers.get(i % connections).watch(new Counting()));
                            }
                            return null;
                        });
        for (int from = 0; from < count; from += CREATE_BATCH) {
            int first = from;
            int end = Math.min(count, from + CREATE_BATCH);
            target.loop()
                    .run(
                            () -> {
                                for (int i = first; i < end; i++) {
                                    streams.get(i % streamCount).send(create(requests.apply(i)));
                                }
                                return null;
                            });
            awaitCreated(end);
        }
    }

    /** Number of events delivered to all watchers. Event loop. */
    long delivered() {
        return delivered;
    }

    /** Throws if a watcher failed. */
    void check() throws IOException, InterruptedException {
        String wrong = target.loop().run(() -> failure);
        if (wrong != null) {
            throw new IOException("watchers: " + wrong);
        }
    }

    /** First failure; null if none. Event loop. */
    String failure() {
        return failure;
    }

    @Override
    public void close() {
        target.loop().execute(() -> streams.forEach(WatchStream::cancel));
        callers.forEach(GrpcCaller::close);
    }

    /** A watch request like kube-apiserver's. */
    static WatchCreateRequest range(byte[] from, byte[] end) {
        return WatchCreateRequest.newBuilder()
                .setKey(ByteString.copyFrom(from))
                .setRangeEnd(ByteString.copyFrom(end))
                .setPrevKv(true)
                .setProgressNotify(true)
                .build();
    }

    private static WatchRequest create(WatchCreateRequest request) {
        return WatchRequest.newBuilder().setCreateRequest(request).build();
    }

    private void awaitCreated(int wanted) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CREATE_SECONDS_MAX);
        while (target.loop().run(() -> created < wanted && failure == null)) {
            if (System.nanoTime() > end) {
                throw new IOException("watchers were not created within a minute");
            }
            Thread.sleep(2);
        }
        check();
    }

    private final class Counting implements WatchStream.Receiver {
        @Override
        public void received(byte[] response) {
            try {
                WatchReader read = WatchReader.read(response, stamps);
                created += read.created() ? 1 : 0;
                delivered += read.events();
                if (read.canceled()) {
                    failed("a watcher was cancelled");
                }
            } catch (IOException malformed) {
                failed(malformed.getMessage());
            }
        }

        @Override
        public void failed(String why) {
            failure = failure == null ? why : failure;
        }
    }
}
