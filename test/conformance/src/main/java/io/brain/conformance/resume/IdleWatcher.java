package io.brain.conformance.resume;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A client that watches a prefix with progress notifications, leaves its connection now and then,
 * and resumes after the last revision that it was told of. If that is compacted it starts at the
 * newest revision, as clients that list again do.
 */
final class IdleWatcher {
    private final WatchGrpc.WatchStub stub;
    private final ByteString prefix;
    private final ScheduledExecutorService timer;
    private StreamObserver<WatchRequest> requests;
    private long next;
    private int stream;
    private boolean open;
    private boolean ended;
    private int resumed;
    private int compacted;
    private int events;
    private Optional<Throwable> failure = Optional.empty();

    IdleWatcher(Channel channel, ByteString prefix, long start, ScheduledExecutorService timer) {
        stub = WatchGrpc.newStub(channel);
        this.prefix = prefix;
        this.timer = timer;
        next = start;
    }

    synchronized void open() {
        if (ended) {
            return;
        }
        int mine = ++stream;
        open = true;
        requests = stub.watch(new Responses(mine));
        byte[] end = prefix.toByteArray();
        end[end.length - 1]++;
        requests.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(
                                WatchCreateRequest.newBuilder()
                                        .setKey(prefix)
                                        .setRangeEnd(ByteString.copyFrom(end))
                                        .setStartRevision(next)
                                        .setProgressNotify(true))
                        .build());
    }

    /** Ends the stream now, and opens another one after a time. */
    synchronized void leave(long awaySeconds) {
        if (ended || !open) {
            return;
        }
        close();
        var unused =
                timer.schedule(
                        () -> {
                            open();
                            synchronized (this) {
                                resumed++;
                            }
                        },
                        awaySeconds,
                        TimeUnit.SECONDS);
    }

    synchronized void end() {
        ended = true;
        close();
    }

    /** Times it resumed. */
    synchronized int resumed() {
        return resumed;
    }

    /** Times it was told that its revision is compacted. */
    synchronized int compacted() {
        return compacted;
    }

    /** Events received. */
    synchronized int events() {
        return events;
    }

    /** The first failure of an open stream. */
    synchronized Optional<Throwable> failure() {
        return failure;
    }

    private void close() {
        stream++;
        if (open) {
            requests.onCompleted();
        }
        open = false;
    }

    private synchronized void received(int from, WatchResponse response) {
        if (from != stream) {
            return;
        }
        events += response.getEventsCount();
        if (response.getCompactRevision() != 0) {
            compacted++;
            // etcd's header may have no revision here.
            next = Math.max(response.getHeader().getRevision() + 1, response.getCompactRevision());
            close();
            open();
        } else if (!response.getCreated() && !response.getCanceled()) {
            next = response.getHeader().getRevision() + 1;
        }
    }

    private synchronized void failed(int from, Throwable cause) {
        if (from == stream && failure.isEmpty()) {
            failure = Optional.of(cause);
        }
    }

    private final class Responses implements StreamObserver<WatchResponse> {
        private final int mine;

        private Responses(int mine) {
            this.mine = mine;
        }

        @Override
        public void onNext(WatchResponse response) {
            received(mine, response);
        }

        @Override
        public void onError(Throwable cause) {
            failed(mine, cause);
        }

        @Override
        public void onCompleted() {}
    }
}
