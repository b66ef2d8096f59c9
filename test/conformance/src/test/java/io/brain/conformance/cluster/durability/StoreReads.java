package io.brain.conformance.cluster.durability;

import com.google.common.util.concurrent.ListenableFuture;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.durability.LeaseCheck.Granted;
import io.brain.conformance.cluster.durability.LeaseCheck.Shown;
import io.brain.conformance.cluster.durability.Violation.Kind;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;

/** Compares what reads show with what a checked history says they must show. */
final class StoreReads {

    private static final int IN_FLIGHT_MAX = 64;

    private final EtcdClient client;
    private final HistoryCheck check;
    private long reads;

    StoreReads(EtcdClient client, HistoryCheck check) {
        this.client = client;
        this.check = check;
    }

    /** Reads made at old revisions. */
    long reads() {
        return reads;
    }

    /** Every key that lives at the newest checked revision, with all its numbers. */
    void compareAll() {
        compareAll(check.checkedRevision(), check.model());
    }

    /** Every key that lives at this revision, with all its numbers, against the model of it. */
    void compareAll(long revision, StoreModel model) {
        Map<String, StoreModel.Item> live = new TreeMap<>();
        for (KeyValue kv : client.allAt(revision).getKvsList()) {
            live.put(
                    kv.getKey().toStringUtf8(),
                    new StoreModel.Item(
                            Payload.token(kv.getValue()),
                            kv.getLease(),
                            kv.getCreateRevision(),
                            kv.getModRevision(),
                            kv.getVersion()));
        }
        Map<String, StoreModel.Item> expected = model.items();
        if (!live.equals(expected)) {
            Map<String, StoreModel.Item> missing = new TreeMap<>(expected);
            missing.entrySet().removeAll(live.entrySet());
            live.entrySet().removeAll(expected.entrySet());
            check.report(
                    Kind.READ, "a list at " + revision + " shows " + live + ", not " + missing);
        }
    }

    /** Every put of these writes, read at the revision that it was acknowledged with. */
    void readAtTheirRevisions(List<Attempt> attempts)
            throws InterruptedException, ExecutionException {
        Queue<PastRead> inFlight = new ArrayDeque<>();
        KVGrpc.KVFutureStub stub = KVGrpc.newFutureStub(client.channel());
        for (Attempt attempt : attempts) {
            if (!attempt.isAcknowledgedChange()) {
                continue;
            }
            long revision = attempt.answer().orElseThrow().revision();
            for (Change put : puts(attempt.write())) {
                RangeRequest request =
                        RangeRequest.newBuilder()
                                .setKey(Keys.of(put.key()))
                                .setRevision(revision)
                                .build();
                inFlight.add(new PastRead(put, revision, stub.range(request)));
                if (inFlight.size() >= IN_FLIGHT_MAX) {
                    compare(inFlight.remove());
                }
            }
        }
        while (!inFlight.isEmpty()) {
            compare(inFlight.remove());
        }
    }

    /**
     * These leases with their keys against what clients were told.
     *
     * @param launchedNanos when this run of the server began, or earlier
     */
    void compareLeases(Collection<Granted> granted, long launchedNanos)
            throws InterruptedException, ExecutionException {
        Map<Long, Shown> shown = show(granted.stream().map(Granted::id).toList());
        new LeaseCheck(check).compare(granted, shown, launchedNanos, System.nanoTime());
    }

    /** Those of these leases that the server has, as it shows them, by id. */
    Map<Long, Shown> show(Collection<Long> ids) throws InterruptedException, ExecutionException {
        Map<Long, Shown> shown = new TreeMap<>();
        Queue<ListenableFuture<LeaseTimeToLiveResponse>> inFlight = new ArrayDeque<>();
        LeaseGrpc.LeaseFutureStub stub = LeaseGrpc.newFutureStub(client.channel());
        for (long id : ids) {
            LeaseTimeToLiveRequest request =
                    LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(true).build();
            inFlight.add(stub.leaseTimeToLive(request));
            if (inFlight.size() >= IN_FLIGHT_MAX) {
                note(inFlight.remove().get(), shown);
            }
        }
        while (!inFlight.isEmpty()) {
            note(inFlight.remove().get(), shown);
        }
        return shown;
    }

    private static void note(LeaseTimeToLiveResponse lease, Map<Long, Shown> shown) {
        if (lease.getGrantedTTL() > 0) {
            List<String> keys =
                    lease.getKeysList().stream().map(key -> key.toStringUtf8()).sorted().toList();
            shown.put(lease.getID(), new Shown(lease.getID(), lease.getTTL(), keys));
        }
    }

    private void compare(PastRead read) throws InterruptedException, ExecutionException {
        RangeResponse response = read.response().get();
        reads++;
        boolean same =
                response.getKvsCount() == 1
                        && response.getKvs(0).getModRevision() == read.revision()
                        && Payload.token(response.getKvs(0).getValue())
                                .equals(read.put().token().orElseThrow());
        if (!same) {
            check.report(Kind.READ, read.put() + " is not there at " + read.revision());
        }
    }

    private static List<Change> puts(Write write) {
        if (write instanceof Write.Put put) {
            return List.of(Change.put(put.key(), put.token(), put.lease()));
        } else if (write instanceof Write.PutAll all) {
            return all.keys().stream().map(key -> Change.put(key, all.token(), 0)).toList();
        } else if (write instanceof Write.Move move) {
            return move.puts().stream().map(key -> Change.put(key, move.token(), 0)).toList();
        } else if (write instanceof Write.Swap swap) {
            return List.of(Change.put(swap.key(), swap.token(), 0));
        }
        return List.of();
    }

    private record PastRead(Change put, long revision, ListenableFuture<RangeResponse> response) {}
}
