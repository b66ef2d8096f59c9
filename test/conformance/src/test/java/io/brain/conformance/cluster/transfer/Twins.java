package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares a server with one that was restored from its snapshot. */
final class Twins {

    private static final int REVISIONS = 12;

    private Twins() {}

    /**
     * Compares everything at the newest revision and at random older ones.
     *
     * @param compacted the compact revision; -1 if there is none
     */
    static void compare(EtcdClient original, EtcdClient restored, long compacted) {
        long newest = original.revision();
        assertThat(restored.revision()).isEqualTo(newest);
        Set<Long> revisions = new TreeSet<>(Set.of(newest));
        Random random = new Random(newest);
        long oldest = Math.max(2, compacted + 1);
        for (int i = 0; i < REVISIONS; i++) {
            revisions.add(oldest + random.nextLong(newest - oldest + 1));
        }
        for (long revision : revisions) {
            compareAt(original, restored, revision);
        }
        assertThat(leases(restored)).isEqualTo(leases(original));
    }

    /** Compares the keys and the hash at one revision. */
    static void compareAt(EtcdClient original, EtcdClient restored, long revision) {
        assertThat(restored.allAt(revision).getKvsList())
                .as("keys at %d", revision)
                .isEqualTo(original.allAt(revision).getKvsList());
        assertThat(hash(restored, revision))
                .as("hash at %d", revision)
                .isEqualTo(hash(original, revision));
    }

    private static String hash(EtcdClient client, long revision) {
        HashKVResponse hash =
                MaintenanceGrpc.newBlockingStub(client.channel())
                        .hashKV(HashKVRequest.newBuilder().setRevision(revision).build());
        return "%08x of %d, compacted at %d"
                .formatted(hash.getHash(), hash.getHashRevision(), hash.getCompactRevision());
    }

    /** Leases by id: granted TTL and attached keys. */
    private static Map<Long, String> leases(EtcdClient client) {
        Map<Long, String> leases = new TreeMap<>();
        LeaseGrpc.LeaseBlockingStub stub = LeaseGrpc.newBlockingStub(client.channel());
        for (LeaseStatus lease :
                stub.leaseLeases(LeaseLeasesRequest.getDefaultInstance()).getLeasesList()) {
            LeaseTimeToLiveResponse answer =
                    stub.leaseTimeToLive(
                            LeaseTimeToLiveRequest.newBuilder()
                                    .setID(lease.getID())
                                    .setKeys(true)
                                    .build());
            TreeSet<String> keys = new TreeSet<>();
            answer.getKeysList().forEach(key -> keys.add(TextFormat.escapeBytes(key)));
            leases.put(lease.getID(), answer.getGrantedTTL() + " s, " + keys);
        }
        return leases;
    }
}
