package io.brain.conformance.linear.load;

import io.brain.conformance.linear.EventLog;
import io.brain.conformance.linear.Keys;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads a part of a store's history from one node, by a watch from an old revision. */
final class LogReader implements StreamObserver<WatchResponse> {

    private final long last;
    private final List<Event> events = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    private LogReader(long last) {
        this.last = last;
    }

    /**
     * The events of these revisions, both included.
     *
     * @param last is one of a write
     */
    static EventLog read(ManagedChannel channel, long first, long last, Duration max)
            throws IOException, InterruptedException {
        LogReader reader = new LogReader(last);
        StreamObserver<WatchRequest> requests = WatchGrpc.newStub(channel).watch(reader);
        requests.onNext(
                WatchRequest.newBuilder()
                        .setCreateRequest(
                                WatchCreateRequest.newBuilder()
                                        .setKey(Keys.ZERO)
                                        .setRangeEnd(Keys.ZERO)
                                        .setPrevKv(true)
                                        .setStartRevision(first))
                        .build());
        try {
            reader.done.get(max.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("no history up to " + last + " from " + channel, e);
        } finally {
            requests.onError(Status.CANCELLED.asException());
        }
        return reader.log();
    }

    /** As it came, but for the order of revisions, which the watchers' records are checked for. */
    private EventLog log() {
        EventLog log = new EventLog();
        List<Event> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(event -> event.getKv().getModRevision()));
        int from = 0;
        for (int to = 1; to <= sorted.size(); to++) {
            long revision = sorted.get(from).getKv().getModRevision();
            if (to == sorted.size() || sorted.get(to).getKv().getModRevision() != revision) {
                log.add(revision, sorted.subList(from, to));
                from = to;
            }
        }
        return log;
    }

    @Override
    public void onNext(WatchResponse response) {
        if (done.isDone()) {
            return;
        }
        if (response.getCanceled()) {
            done.completeExceptionally(new IOException(response.getCancelReason()));
            return;
        }
        boolean complete = false;
        for (Event event : response.getEventsList()) {
            if (event.getKv().getModRevision() <= last) {
                events.add(event);
            }
            complete |= event.getKv().getModRevision() >= last;
        }
        if (complete) {
            done.complete(null);
        }
    }

    @Override
    public void onError(Throwable failure) {
        done.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        done.completeExceptionally(new IOException("the stream ended"));
    }
}
