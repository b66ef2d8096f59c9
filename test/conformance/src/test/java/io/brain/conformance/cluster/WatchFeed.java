package io.brain.conformance.cluster;

import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One watch stream, read response by response. At most {@link #PENDING_MAX} responses are held
 * here; beyond that the transport holds the server back. Taking is for one thread.
 */
public final class WatchFeed implements AutoCloseable {

    private static final int PENDING_MAX = 64;

    private final BlockingQueue<WatchResponse> pending = new ArrayBlockingQueue<>(PENDING_MAX + 1);
    private final Receiver receiver = new Receiver();

    /** Opens a stream over this channel; it has no watcher yet. */
    public WatchFeed(Channel channel) {
        var unused = WatchGrpc.newStub(channel).watch(receiver);
    }

    /** A stream with one watcher of every key from this revision on. */
    public static WatchFeed ofEverything(Channel channel, long startRevision) {
        WatchFeed feed = new WatchFeed(channel);
        feed.create(
                WatchCreateRequest.newBuilder()
                        .setKey(Keys.ZERO)
                        .setRangeEnd(Keys.ZERO)
                        .setStartRevision(startRevision)
                        .build());
        return feed;
    }

    public void create(WatchCreateRequest request) {
        receiver.requests.onNext(WatchRequest.newBuilder().setCreateRequest(request).build());
    }

    /** The next response; empty when none comes in this time, or when the stream has ended. */
    public Optional<WatchResponse> next(Duration max) throws InterruptedException {
        WatchResponse response = pending.poll(max.toMillis(), TimeUnit.MILLISECONDS);
        if (response != null) {
            receiver.requests.request(1);
        }
        return Optional.ofNullable(response);
    }

    /** How the stream ended; empty while it lives. */
    public Optional<Status> end() {
        return Optional.ofNullable(receiver.end);
    }

    @Override
    public void close() {
        receiver.requests.cancel("closed by the test", null);
    }

    private final class Receiver implements ClientResponseObserver<WatchRequest, WatchResponse> {
        private ClientCallStreamObserver<WatchRequest> requests;
        private volatile Status end;

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> stream) {
            requests = stream;
            stream.disableAutoRequestWithInitial(PENDING_MAX);
        }

        @Override
        public void onNext(WatchResponse response) {
            pending.add(response);
        }

        @Override
        public void onError(Throwable failure) {
            end = Status.fromThrowable(failure);
        }

        @Override
        public void onCompleted() {
            end = Status.OK;
        }
    }
}
