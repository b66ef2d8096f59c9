package io.brain.conformance.expiry;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.HashSet;
import java.util.Set;

/** Counts the deletes of keys with a prefix. */
final class DeleteWatcher implements StreamObserver<WatchResponse> {
    private final Set<ByteString> keys = new HashSet<>();
    private final Set<Long> revisions = new HashSet<>();
    private long twice;
    private long lastNanos;
    private Throwable failure;

    DeleteWatcher(Channel channel, ByteString prefix, ByteString end, long revision) {
        WatchGrpc.newStub(channel)
                .watch(this)
                .onNext(
                        WatchRequest.newBuilder()
                                .setCreateRequest(
                                        WatchCreateRequest.newBuilder()
                                                .setKey(prefix)
                                                .setRangeEnd(end)
                                                .setStartRevision(revision))
                                .build());
    }

    @Override
    public synchronized void onNext(WatchResponse response) {
        for (Event event : response.getEventsList()) {
            if (event.getType() == Event.EventType.DELETE) {
                twice += keys.add(event.getKv().getKey()) ? 0 : 1;
                revisions.add(event.getKv().getModRevision());
                lastNanos = System.nanoTime();
            }
        }
    }

    @Override
    public synchronized void onError(Throwable error) {
        failure = error;
    }

    @Override
    public synchronized void onCompleted() {
        failure = new IllegalStateException("the watch ended");
    }

    /** Number of deleted keys. */
    synchronized int keys() {
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
        return keys.size();
    }

    synchronized int revisions() {
        return revisions.size();
    }

    /** Deletes of keys that were deleted before. */
    synchronized long twice() {
        return twice;
    }

    synchronized long lastNanos() {
        return lastNanos;
    }
}
