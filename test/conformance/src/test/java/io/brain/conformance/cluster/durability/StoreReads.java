package io.brain.conformance.cluster.durability;

import com.google.common.util.concurrent.ListenableFuture;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Keys;
import io.brain.conformance.cluster.durability.Violation.Kind;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
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

    /** Every live key, with all its numbers, against the model. */
    void compareAll() {
        Map<String, StoreModel.Item> live = new TreeMap<>();
        for (KeyValue kv : client.all().getKvsList()) {
            live.put(
                    kv.getKey().toStringUtf8(),
                    new StoreModel.Item(
                            Payload.token(kv.getValue()),
                            kv.getLease(),
                            kv.getCreateRevision(),
                            kv.getModRevision(),
                            kv.getVersion()));
        }
        Map<String, StoreModel.Item> expected = check.model().items();
        if (!live.equals(expected)) {
            Map<String, StoreModel.Item> missing = new TreeMap<>(expected);
            missing.entrySet().removeAll(live.entrySet());
            live.entrySet().removeAll(expected.entrySet());
            check.report(Kind.READ, "a list shows " + live + " in place of " + missing);
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

    /** Leases whose grant was acknowledged live with their keys, unless they were revoked. */
    void compareLeases(Collection<Long> granted) {
        for (long id : granted) {
            LeaseTimeToLiveResponse lease = client.timeToLive(id);
            boolean lives = lease.getTTL() > 0;
            if (lives == check.revoked().contains(id)) {
                check.report(Kind.READ, "lease " + id + " has a TTL of " + lease.getTTL());
            }
            List<String> keys =
                    lease.getKeysList().stream().map(key -> key.toStringUtf8()).sorted().toList();
            if (!keys.equals(check.model().attached(id))) {
                check.report(Kind.READ, "lease " + id + " has the keys " + keys);
            }
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
        } else if (write instanceof Write.Swap swap) {
            return List.of(Change.put(swap.key(), swap.token(), 0));
        }
        return List.of();
    }

    private record PastRead(Change put, long revision, ListenableFuture<RangeResponse> response) {}
}
