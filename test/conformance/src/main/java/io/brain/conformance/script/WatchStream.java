package io.brain.conformance.script;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Transcript;
import io.brain.proto.etcd.WatchCancelRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchProgressRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import java.util.Comparator;
import java.util.List;

/** A watch stream: see {@link Exchange}. */
public final class WatchStream extends Exchange<WatchRequest, WatchResponse> {

    private static final Comparator<WatchResponse> BY_WATCHER =
            Comparator.comparingLong(WatchResponse::getWatchId)
                    .thenComparingLong(r -> r.getHeader().getRevision());

    public WatchStream(
            String name, Wire wire, Metadata metadata, CallOptions options, Transcript transcript) {
        super(name, wire, WatchGrpc.getWatchMethod(), metadata, options, transcript);
    }

    /** Asks for a watcher and notes the answer. */
    public WatchResponse create(WatchCreateRequest.Builder watcher) throws InterruptedException {
        request(watcher);
        List<WatchResponse> created = expect(1);
        return created.isEmpty() ? WatchResponse.getDefaultInstance() : created.get(0);
    }

    /** Asks for a watcher. */
    public void request(WatchCreateRequest.Builder watcher) {
        sendNoted("create", watcher.build());
        send(WatchRequest.newBuilder().setCreateRequest(watcher).build());
    }

    /** Asks for a watcher's end. */
    public void cancel(long watchId) {
        WatchCancelRequest cancel = WatchCancelRequest.newBuilder().setWatchId(watchId).build();
        sendNoted("cancel", cancel);
        send(WatchRequest.newBuilder().setCancelRequest(cancel).build());
    }

    /** Asks how far the stream is. */
    public void progress() {
        sendNoted("progress", WatchProgressRequest.getDefaultInstance());
        progressUnrecorded();
    }

    /** As {@link #progress()}, without a note. */
    public void progressUnrecorded() {
        send(
                WatchRequest.newBuilder()
                        .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                        .build());
    }

    /** Responses of several watchers, which have no order among them. */
    public List<WatchResponse> expectOfSeveral(int count) throws InterruptedException {
        return expectInAnyOrder(count, BY_WATCHER);
    }

    private void sendNoted(String what, Message request) {
        transcript().add(name() + " -> " + what, request);
    }
}
