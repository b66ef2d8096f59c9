package io.brain.conformance.failover;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;

/**
 * One watch stream with several watchers, as kube-apiserver opens it: prefixes, values that were
 * replaced, progress, and only with a leader. When it ends, all go on on the next node, each after
 * the last revision that it was sent or was told to have passed. Below a prefix there is one
 * object, so an event that replaced another than the last one sent shows a gap. Thread-safe.
 */
final class KubeStream {

    /**
     * What watchers noticed.
     *
     * @param relists those told that their revision is compacted
     * @param gaps events that do not follow the last one sent
     * @param duplicates events that were sent before
     */
    record Noticed(long events, long resumptions, long relists, long gaps, long duplicates) {

        static final Noticed NOTHING = new Noticed(0, 0, 0, 0, 0);

        Noticed plus(Noticed other) {
            return new Noticed(
                    events + other.events,
                    resumptions + other.resumptions,
                    relists + other.relists,
                    gaps + other.gaps,
                    duplicates + other.duplicates);
        }

        Noticed minus(Noticed other) {
            return new Noticed(
                    events - other.events,
                    resumptions - other.resumptions,
                    relists - other.relists,
                    gaps - other.gaps,
                    duplicates - other.duplicates);
        }
    }

    private static final class Watcher {
        private final ByteString prefix;
        private long next;
        private long lastEvent;

        private Watcher(ByteString prefix, long next) {
            this.prefix = prefix;
            this.next = next;
        }
    }

    private static final Metadata NEEDS_LEADER = new Metadata();

    static {
        NEEDS_LEADER.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
    }

    private final List<ManagedChannel> channels;
    private final List<Watcher> watchers = new ArrayList<>();
    private final int home;
    private int node;
    private Receiver current;
    private Noticed noticed = Noticed.NOTHING;

    /**
     * @param channels one for each node
     * @param home counts streams: it begins with the node of this number
     * @param next the revision that its watchers begin with
     */
    KubeStream(List<ManagedChannel> channels, int home, List<ByteString> prefixes, long next) {
        this.channels = channels;
        this.home = home % channels.size();
        this.node = this.home;
        prefixes.forEach(prefix -> watchers.add(new Watcher(prefix, next)));
    }

    /** Opens the stream again if it ended: called a few times a second. */
    synchronized void tick() {
        if (current != null) {
            return;
        }
        ManagedChannel channel = channels.get(node);
        channel.resetConnectBackoff();
        current = new Receiver();
        var unused =
                WatchGrpc.newStub(channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(NEEDS_LEADER))
                        .watch(current);
        for (int id = 1; id <= watchers.size(); id++) {
            create(id);
        }
    }

    private void create(int id) {
        Watcher watcher = watchers.get(id - 1);
        current.requests.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(
                                WatchCreateRequest.newBuilder()
                                        .setKey(watcher.prefix)
                                        .setRangeEnd(Keys.prefixEnd(watcher.prefix))
                                        .setStartRevision(watcher.next)
                                        .setProgressNotify(true)
                                        .setPrevKv(true)
                                        .setWatchId(id))
                        .build());
    }

    /** Goes back to the node that it began with, as clients do when they are balanced anew. */
    synchronized void goHome() {
        if (node != home) {
            stop();
            node = home;
        }
    }

    /** How many of its watchers have not passed this revision. */
    synchronized int behind(long revision) {
        return (int) watchers.stream().filter(watcher -> watcher.next <= revision).count();
    }

    synchronized Noticed noticed() {
        return noticed;
    }

    synchronized void stop() {
        if (current != null) {
            current.requests.cancel("stopped", null);
            current = null;
        }
    }

    private synchronized void received(Receiver from, WatchResponse response) {
        if (from != current) {
            return;
        }
        if (response.getCanceled()) {
            cancelled(response);
        } else if (response.getEventsCount() > 0) {
            Watcher watcher = watchers.get((int) response.getWatchId() - 1);
            response.getEventsList().forEach(event -> sent(watcher, event));
        } else if (!response.getCreated() && response.getWatchId() > 0) {
            Watcher watcher = watchers.get((int) response.getWatchId() - 1);
            watcher.next = Math.max(watcher.next, response.getHeader().getRevision() + 1);
        }
    }

    private void cancelled(WatchResponse response) {
        if (response.getCompactRevision() > 0) {
            Watcher watcher = watchers.get((int) response.getWatchId() - 1);
            watcher.next = Math.max(watcher.next, response.getHeader().getRevision());
            watcher.lastEvent = 0;
            noticed = noticed.plus(new Noticed(0, 0, 1, 0, 0));
        }
        resumeElsewhere();
    }

    private void sent(Watcher watcher, Event event) {
        long revision = event.getKv().getModRevision();
        boolean again = revision < watcher.next;
        long replaced = event.getPrevKv().getModRevision();
        boolean gap = !again && watcher.lastEvent > 0 && replaced != watcher.lastEvent;
        noticed = noticed.plus(new Noticed(1, 0, 0, gap ? 1 : 0, again ? 1 : 0));
        if (!again) {
            watcher.lastEvent = revision;
            watcher.next = revision + 1;
        }
    }

    private void resumeElsewhere() {
        stop();
        node = (node + 1) % channels.size();
        noticed = noticed.plus(new Noticed(0, watchers.size(), 0, 0, 0));
    }

    private synchronized void ended(Receiver receiver) {
        if (receiver == current) {
            resumeElsewhere();
        }
    }

    private final class Receiver implements ClientResponseObserver<WatchRequest, WatchResponse> {
        private ClientCallStreamObserver<WatchRequest> requests;

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> stream) {
            requests = stream;
        }

        @Override
        public void onNext(WatchResponse response) {
            received(this, response);
        }

        @Override
        public void onError(Throwable failure) {
            ended(this);
        }

        @Override
        public void onCompleted() {
            ended(this);
        }
    }
}
