package io.brain.conformance.linear.load;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.EventLog;
import io.brain.conformance.linear.WatcherRecord;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchProgressRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One watcher for a whole round: whenever its stream ends it goes on, on the next node, with the
 * revision after the last that it was sent or was told to have passed. Thread-safe.
 */
final class Watcher {

    /**
     * What it watches and how.
     *
     * @param impatient whether it leaves a node that says nothing for a while, though asked for
     *     progress
     */
    record Settings(
            String name, ByteString key, ByteString end, boolean withPrevious, boolean impatient) {}

    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);
    private static final Metadata NEEDS_LEADER = new Metadata();

    static {
        NEEDS_LEADER.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
    }

    private final Settings settings;
    private final List<ManagedChannel> channels;
    private final Recorder recorder;
    private final WatcherRecord record;
    private long next = EventLog.EMPTY_STORE + 1;
    private int node;
    private Stream current;
    private long heard;
    private int resumptions;
    private int relists;

    /**
     * @param channels one for each node
     * @param home the node that it begins with
     */
    Watcher(Settings settings, List<ManagedChannel> channels, int home, Recorder recorder) {
        this.settings = settings;
        this.channels = channels;
        this.recorder = recorder;
        this.node = home;
        this.record =
                new WatcherRecord(
                        settings.name(), settings.key(), settings.end(), settings.withPrevious());
    }

    /** Looks after its stream: called a few times a second. */
    synchronized void tick() {
        if (current == null) {
            channels.get(node).resetConnectBackoff();
            open();
        } else if (settings.impatient()) {
            if (System.nanoTime() - heard > PATIENCE_NANOS) {
                leave();
            } else {
                current.askForProgress();
            }
        }
    }

    /** True when it has passed this revision. */
    synchronized boolean passed(long revision) {
        return next > revision;
    }

    synchronized int resumptions() {
        return resumptions;
    }

    /** How often a node told it that the revision it wanted was compacted. */
    synchronized int relists() {
        return relists;
    }

    /** What it was sent; to be read after {@link #stop}. */
    WatcherRecord record() {
        return record;
    }

    String name() {
        return settings.name();
    }

    synchronized void stop() {
        if (current != null) {
            current.cancel();
            current = null;
        }
    }

    private void open() {
        heard = System.nanoTime();
        current = new Stream();
        var unused =
                WatchGrpc.newStub(channels.get(node))
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(NEEDS_LEADER))
                        .watch(current);
        current.create(
                WatchCreateRequest.newBuilder()
                        .setKey(settings.key())
                        .setRangeEnd(settings.end())
                        .setPrevKv(settings.withPrevious())
                        .setStartRevision(next)
                        .build());
    }

    private void leave() {
        stop();
        resumptions++;
        node = (node + 1) % channels.size();
    }

    private synchronized void received(Stream from, WatchResponse response) {
        if (from != current) {
            return; // it has gone on elsewhere
        }
        heard = System.nanoTime();
        if (response.getCanceled()) {
            skip(response.getCompactRevision());
            leave();
        } else if (response.getEventsCount() > 0) {
            List<Event> events = response.getEventsList();
            events.forEach(record::add);
            next = events.get(events.size() - 1).getKv().getModRevision() + 1;
            recorder.saw(events);
        } else if (!response.getCreated()) {
            next = Math.max(next, response.getHeader().getRevision() + 1);
        }
    }

    /** Goes on behind what is compacted, as one that lists again does. */
    private void skip(long compacted) {
        if (compacted >= next) {
            relists++;
            record.skip(next, compacted);
            next = compacted + 1;
        }
    }

    private synchronized void ended(Stream stream) {
        if (stream == current) {
            leave();
        }
    }

    private final class Stream implements ClientResponseObserver<WatchRequest, WatchResponse> {
        private ClientCallStreamObserver<WatchRequest> requests;

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> stream) {
            requests = stream;
        }

        private void create(WatchCreateRequest request) {
            requests.onNext(WatchRequest.newBuilder().setCreateRequest(request).build());
        }

        private void askForProgress() {
            requests.onNext(
                    WatchRequest.newBuilder()
                            .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                            .build());
        }

        private void cancel() {
            requests.cancel("goes on elsewhere", null);
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
