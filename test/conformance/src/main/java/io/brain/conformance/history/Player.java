package io.brain.conformance.history;

import static io.brain.conformance.script.Requests.watchAll;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Transcript;
import io.brain.conformance.script.Exchange;
import io.brain.conformance.script.Outcome;
import io.brain.conformance.script.Wire;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCancelRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.List;

/** Plays a history to one server, step by step. For one thread at a time. */
final class Player implements AutoCloseable {

    /** Longer than an event that should not come would take. */
    private static final long QUIET_MILLIS = 120;

    private static final int LOOKS_BACK = 8;

    private final Wire wire;
    private final List<HistoryWatcher> watchers = new ArrayList<>();
    private Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> keepAlive;
    private Transcript now = new Transcript();

    Player(Wire wire) {
        this.wire = wire;
    }

    /**
     * Makes the step's call, and waits until all that is certain to follow from it has followed.
     *
     * @return what came of it
     */
    Transcript play(Message step) throws InterruptedException {
        now = new Transcript();
        if (step instanceof WatchCreateRequest watch) {
            HistoryWatcher watcher = new HistoryWatcher("watch " + watchers.size(), wire, watch);
            watchers.add(watcher);
            watcher.catchUp(revision());
            watcher.sent().entries().forEach(e -> now.add(e.what(), e.value()));
        } else if (step instanceof WatchCancelRequest cancel) {
            cancel((int) cancel.getWatchId());
        } else if (step instanceof LeaseKeepAliveRequest alive) {
            keepAlive(alive);
        } else {
            if (step instanceof CompactionRequest) {
                catchUp(); // a previous key that is compacted away before it is sent is not sent
            }
            now.add("answer", call(step).comparable());
        }
        return now;
    }

    /**
     * Waits for what the watchers are still owed, and reads once more all that there is since a
     * revision: as a watcher sees it, the keys at some revisions, the leases with their keys.
     *
     * @return that, and all that the watchers were sent
     */
    Transcript finish(long floor) throws InterruptedException {
        catchUp();
        Thread.sleep(QUIET_MILLIS);
        HistoryWatcher whole =
                new HistoryWatcher(
                        "whole history",
                        wire,
                        watchAll().setStartRevision(floor).setPrevKv(true).build());
        watchers.add(whole);
        long revision = revision();
        whole.catchUp(revision);
        now = new Transcript();
        for (HistoryWatcher watcher : watchers) {
            watcher.drain();
            watcher.sent().entries().forEach(e -> now.add(e.what(), e.value()));
        }
        for (long back = 0; back < LOOKS_BACK; back++) {
            long at = revision - (revision - floor) * back / (LOOKS_BACK - 1);
            RangeRequest keys = Generator.EVERYTHING.toBuilder().setRevision(at).build();
            now.add("keys at " + at, call(keys).comparable());
        }
        leases();
        return now;
    }

    private void leases() {
        LeaseLeasesResponse leases =
                wire.call(LeaseGrpc.getLeaseLeasesMethod(), LeaseLeasesRequest.getDefaultInstance())
                        .get();
        now.add("leases", leases);
        for (LeaseStatus lease : leases.getLeasesList()) {
            LeaseTimeToLiveResponse left =
                    wire.call(
                                    LeaseGrpc.getLeaseTimeToLiveMethod(),
                                    LeaseTimeToLiveRequest.newBuilder()
                                            .setID(lease.getID())
                                            .setKeys(true)
                                            .build())
                            .get();
            // After a restart the time left depends on how long that took.
            now.add("lease " + lease.getID(), left.toBuilder().clearTTL().build());
        }
    }

    /** The store's revision. */
    long revision() {
        return wire.call(KVGrpc.getRangeMethod(), Generator.EVERYTHING)
                .get()
                .getHeader()
                .getRevision();
    }

    @Override
    public void close() {
        watchers.forEach(HistoryWatcher::close);
        if (keepAlive != null) {
            keepAlive.close();
        }
    }

    private void cancel(int watcher) throws InterruptedException {
        if (watcher < watchers.size()) {
            watchers.get(watcher).catchUp(revision());
            watchers.get(watcher).cancel();
        }
    }

    private void catchUp() throws InterruptedException {
        long revision = revision();
        for (HistoryWatcher watcher : watchers) {
            watcher.catchUp(revision);
        }
    }

    private void keepAlive(LeaseKeepAliveRequest request) throws InterruptedException {
        if (keepAlive == null) {
            keepAlive =
                    new Exchange<>(
                            "keep alive",
                            wire,
                            LeaseGrpc.getLeaseKeepAliveMethod(),
                            new Metadata(),
                            CallOptions.DEFAULT,
                            new Transcript());
        }
        keepAlive.send(request);
        List<LeaseKeepAliveResponse> answer = keepAlive.take(1);
        now.add("answer", answer.isEmpty() ? "none" : answer.get(0));
    }

    private Outcome<?> call(Message step) {
        if (step instanceof RangeRequest range) {
            return wire.call(KVGrpc.getRangeMethod(), range);
        }
        if (step instanceof PutRequest put) {
            return wire.call(KVGrpc.getPutMethod(), put);
        }
        if (step instanceof DeleteRangeRequest delete) {
            return wire.call(KVGrpc.getDeleteRangeMethod(), delete);
        }
        if (step instanceof TxnRequest txn) {
            return wire.call(KVGrpc.getTxnMethod(), txn);
        }
        if (step instanceof CompactionRequest compact) {
            return wire.call(KVGrpc.getCompactMethod(), compact);
        }
        if (step instanceof LeaseGrantRequest grant) {
            return wire.call(LeaseGrpc.getLeaseGrantMethod(), grant);
        }
        if (step instanceof LeaseRevokeRequest revoke) {
            return wire.call(LeaseGrpc.getLeaseRevokeMethod(), revoke);
        }
        if (step instanceof LeaseTimeToLiveRequest left) {
            return wire.call(LeaseGrpc.getLeaseTimeToLiveMethod(), left);
        }
        if (step instanceof LeaseLeasesRequest leases) {
            return wire.call(LeaseGrpc.getLeaseLeasesMethod(), leases);
        }
        throw new IllegalArgumentException(
                "no call for " + step.getDescriptorForType().getFullName());
    }
}
