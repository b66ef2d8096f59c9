package io.brain.conformance.fanout;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.Arrays;

/**
 * One stream of watchers as kube-apiserver asks for them: of a prefix, with the values that were
 * replaced and with progress. Each must be sent one event of every revision, in their order. Its
 * messages come one after the other.
 */
final class KubeStream implements ClientResponseObserver<WatchRequest, WatchResponse> {

    private final Audience audience;

    /** The revision that each watcher must be sent next. */
    private final long[] next;

    private volatile ClientCallStreamObserver<WatchRequest> requests;
    private volatile boolean stopping;

    KubeStream(Audience audience, int watchers) {
        this.audience = audience;
        this.next = new long[watchers];
        Arrays.fill(next, audience.first());
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRequest> stream) {
        requests = stream;
    }

    /** Creates all watchers, once the call has begun. */
    void create(ByteString prefix) {
        for (int id = 1; id <= next.length; id++) {
            requests.onNext(
                    WatchRequest.newBuilder()
                            .setCreateRequest(
                                    WatchCreateRequest.newBuilder()
                                            .setKey(prefix)
                                            .setRangeEnd(Keys.prefixEnd(prefix))
                                            .setStartRevision(audience.first())
                                            .setProgressNotify(true)
                                            .setPrevKv(true)
                                            .setWatchId(id))
                            .build());
        }
    }

    void stop() {
        stopping = true;
        requests.cancel("stopped", null);
    }

    @Override
    public void onNext(WatchResponse response) {
        if (response.getCanceled()) {
            audience.trouble("a watcher was cancelled: " + response.getCancelReason());
        } else if (response.getCreated()) {
            audience.created();
        }
        int watcher = (int) response.getWatchId() - 1;
        for (Event event : response.getEventsList()) {
            sent(watcher, event);
        }
    }

    private void sent(int watcher, Event event) {
        long revision = event.getKv().getModRevision();
        if (revision != next[watcher] || revision > audience.last()) {
            audience.trouble("revision " + revision + " came in place of " + next[watcher]);
        } else if (event.getPrevKv().getModRevision() == 0
                || event.getKv().getValue().size() != Load.VALUE_BYTES) {
            audience.trouble("the event of revision " + revision + " is not whole");
        }
        next[watcher]++;
        if (revision == audience.last()) {
            audience.finished();
        }
    }

    @Override
    public void onError(Throwable cause) {
        if (!stopping) {
            audience.trouble("a stream ended: " + cause);
        }
    }

    @Override
    public void onCompleted() {
        audience.trouble("a stream ended");
    }
}
