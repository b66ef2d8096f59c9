package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.etcd.jetcd.api.AlarmMember;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.HashKVRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.MaintenanceGrpc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * All that a client can read of a server's data.
 *
 * @param hashes of the history by revision
 * @param ranges all keys by revision
 * @param leases granted TTL, -1 if there is no such lease, and keys by id
 */
record ServerState(
        long revision,
        Map<Long, Integer> hashes,
        Map<Long, List<KeyValue>> ranges,
        Map<Long, Lease> leases,
        List<AlarmMember> alarms) {
    private static final int REVISIONS = 12;

    record Lease(long ttl, List<ByteString> keys) {}

    /** Reads the newest revision, the compacted one, and random ones between. */
    static ServerState read(EtcdClient server, long compacted) {
        MaintenanceGrpc.MaintenanceBlockingStub maintenance =
                MaintenanceGrpc.newBlockingStub(server.channel());
        long newest = server.revision();
        Random random = new Random(newest);
        Map<Long, Integer> hashes = new TreeMap<>();
        Map<Long, List<KeyValue>> ranges = new TreeMap<>();
        for (int i = 0; i < REVISIONS; i++) {
            long revision =
                    i == 0
                            ? newest
                            : compacted + (long) (random.nextDouble() * (newest - compacted));
            ranges.put(revision, server.allAt(revision).getKvsList());
            if (revision > compacted) {
                HashKVRequest request = HashKVRequest.newBuilder().setRevision(revision).build();
                hashes.put(revision, maintenance.hashKV(request).getHash());
            }
        }
        ranges.put(compacted, server.allAt(compacted).getKvsList());
        AlarmRequest alarms =
                AlarmRequest.newBuilder().setAction(AlarmRequest.AlarmAction.GET).build();
        return new ServerState(
                newest, hashes, ranges, leases(server), maintenance.alarm(alarms).getAlarmsList());
    }

    private static Map<Long, Lease> leases(EtcdClient server) {
        Map<Long, Lease> leases = new HashMap<>();
        for (long id : RandomLoad.LEASES) {
            LeaseTimeToLiveResponse status =
                    server.lease()
                            .leaseTimeToLive(
                                    LeaseTimeToLiveRequest.newBuilder()
                                            .setID(id)
                                            .setKeys(true)
                                            .build());
            List<ByteString> keys =
                    status.getKeysList().stream()
                            .sorted(ByteString.unsignedLexicographicalComparator())
                            .toList();
            leases.put(id, new Lease(status.getGrantedTTL(), keys));
        }
        return leases;
    }
}
