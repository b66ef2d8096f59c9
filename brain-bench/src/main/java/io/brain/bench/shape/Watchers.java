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
 * Watchers on some streams and connections. Counts belong to the client's event loop; the rest to
 * the thread that runs the rounds.
 */
final class Watchers implements AutoCloseable {

    private static final int STREAM_WATCHERS_MAX = 100;
    private static final int STREAM_WATCHERS = 10;
    private static final int STREAMS_MAX = 100;
    private static final int CREATE_SECONDS_MAX = 60;

    /** Some at a time, as answers to them may come slowly. */
    private static final int CREATE_BATCH = 500;

    private final Target target;
    private final LongConsumer stamps;
    private final List<GrpcCaller> callers = new ArrayList<>();
    private final List<WatchStream> streams = new ArrayList<>();
    private int created;
    private long delivered;
    private String trouble;

    /**
     * No watchers yet.
     *
     * @param stamps is handed the first eight bytes of each delivered value, on the event loop
     */
    Watchers(Target target, LongConsumer stamps) {
        this.target = target;
        this.stamps = stamps;
    }

    /**
     * Opens watchers and waits until all are there.
     *
     * @param requests by a watcher's number
     * @throws IOException if one is not
     */
    void open(int count, IntFunction<WatchCreateRequest> requests)
            throws IOException, InterruptedException {
        int streamCount =
                Math.max(
                        Math.min(STREAMS_MAX, Math.max(1, count / STREAM_WATCHERS)),
                        (count + STREAM_WATCHERS_MAX - 1) / STREAM_WATCHERS_MAX);
        int connections = Math.min(streamCount, target.settings().connections());
        for (int i = 0; i < connections; i++) {
            callers.add(new GrpcCaller(target.loop(), target.server().port()));
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

    /** Events that all watchers together were sent. Of the event loop. */
    long delivered() {
        return delivered;
    }

    /** Throws if a watcher was lost. */
    void check() throws IOException, InterruptedException {
        String wrong = target.loop().run(() -> trouble);
        if (wrong != null) {
            throw new IOException("watchers: " + wrong);
        }
    }

    /** What went wrong first; null if nothing did. Of the event loop. */
    String trouble() {
        return trouble;
    }

    @Override
    public void close() {
        target.loop().execute(() -> streams.forEach(WatchStream::cancel));
        callers.forEach(GrpcCaller::close);
    }

    /** A watcher as kube-apiserver makes it. */
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
        while (target.loop().run(() -> created < wanted && trouble == null)) {
            if (System.nanoTime() > end) {
                throw new IOException("watchers were not created in a minute");
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
            trouble = trouble == null ? why : trouble;
        }
    }
}
