package io.brain.conformance.cluster.transfer;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Hashes of a server's history at several revisions, and its leases.
 *
 * @param hashes by revision
 * @param leases all ids
 * @param details granted TTL and number of keys of some leases, by id
 */
record HashSample(Map<Long, Integer> hashes, Set<Long> leases, Map<Long, String> details) {
    private static final int DETAILS = 100;

    /** The newest revision, and random ones above the compacted one. */
    static List<Long> revisions(EtcdClient client, long compacted, int count) {
        long newest = client.revision();
        Random random = new Random(newest);
        Set<Long> revisions = new TreeSet<>();
        while (revisions.size() < Math.min(count, newest - compacted - 1)) {
            revisions.add(compacted + 1 + random.nextLong(newest - compacted - 1));
        }
        revisions.add(newest);
        return List.copyOf(revisions);
    }

    static HashSample read(EtcdClient client, List<Long> revisions) {
        Map<Long, Integer> hashes = new TreeMap<>();
        for (long revision : revisions) {
            HashKVResponse hash =
                    MaintenanceGrpc.newBlockingStub(client.channel())
                            .hashKV(HashKVRequest.newBuilder().setRevision(revision).build());
            hashes.put(revision, hash.getHash());
        }
        LeaseGrpc.LeaseBlockingStub stub = LeaseGrpc.newBlockingStub(client.channel());
        Set<Long> leases = new TreeSet<>();
        for (LeaseStatus lease :
                stub.leaseLeases(LeaseLeasesRequest.getDefaultInstance()).getLeasesList()) {
            leases.add(lease.getID());
        }
        Map<Long, String> details = new TreeMap<>();
        List<Long> ids = new ArrayList<>(leases);
        for (int i = 0; i < ids.size(); i += Math.max(1, ids.size() / DETAILS)) {
            LeaseTimeToLiveResponse lease =
                    stub.leaseTimeToLive(
                            LeaseTimeToLiveRequest.newBuilder()
                                    .setID(ids.get(i))
                                    .setKeys(true)
                                    .build());
            details.put(ids.get(i), lease.getGrantedTTL() + " s, " + lease.getKeysCount());
        }
        return new HashSample(hashes, leases, details);
    }
}
