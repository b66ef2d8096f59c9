package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Fills a server with a random history of binary keys, and compacts it in the middle. */
final class RandomLoad {
    /** Ids of the leases that it grants, and one that it revokes. */
    static final List<Long> LEASES = List.of(1000L, -1001L, 1002L, 1003L, 1004L);

    private static final long REVOKED = 1004;
    private static final int BIG_VALUE_BYTES = 1 << 20;
    private static final int CHANGES_MAX = 20;

    private final EtcdClient server;
    private final Random random;
    private final List<ByteString> keys = new ArrayList<>();

    RandomLoad(EtcdClient server, long seed, int keyCount) {
        this.server = server;
        this.random = new Random(seed);
        for (int i = 0; i < keyCount; i++) {
            ByteString prefix = Keys.of(i % 4 == 0 ? "a/" : "b/");
            keys.add(prefix.concat(bytes(1 + random.nextInt(i % 50 == 0 ? 300 : 12))));
        }
    }

    /** Makes about so many revisions; the one in the middle is compacted. */
    void run(int revisions, int valueBytesMax) {
        for (long id : LEASES) {
            LeaseGrantRequest request =
                    LeaseGrantRequest.newBuilder().setID(id).setTTL(5000 + id).build();
            var unused = server.lease().leaseGrant(request);
        }
        for (int i = 0; i < revisions; i++) {
            if (i == revisions / 2) {
                server.put(keys.get(0), bytes(BIG_VALUE_BYTES));
                server.compact(server.revision() - random.nextInt(revisions / 4));
            }
            step(valueBytesMax);
        }
        server.revoke(REVOKED);
    }

    private void step(int valueBytesMax) {
        switch (random.nextInt(8)) {
            case 0 -> server.delete(key(), ByteString.EMPTY);
            case 1 -> deleteSome();
            case 2, 3 -> txn(valueBytesMax);
            default -> {
                var unused = server.kv().put(put(key(), valueBytesMax));
            }
        }
    }

    private void deleteSome() {
        ByteString from = key();
        server.delete(from, from.substring(0, Math.min(3, from.size())).concat(bytes(2)));
    }

    private void txn(int valueBytesMax) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        TreeSet<ByteString> named = new TreeSet<>(ByteString.unsignedLexicographicalComparator());
        for (int i = random.nextInt(CHANGES_MAX); i >= 0; i--) {
            ByteString key = key();
            if (named.add(key)) {
                RequestOp.Builder op = RequestOp.newBuilder();
                if (random.nextInt(4) == 0) {
                    op.setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key));
                } else {
                    op.setRequestPut(put(key, valueBytesMax));
                }
                txn.addSuccess(op);
            }
        }
        if (random.nextInt(3) == 0) {
            // Overwrites what the transaction put: allowed for a delete "from key".
            ByteString last = named.last();
            txn.addSuccess(
                    RequestOp.newBuilder()
                            .setRequestDeleteRange(
                                    DeleteRangeRequest.newBuilder()
                                            .setKey(last)
                                            .setRangeEnd(Keys.ZERO)));
        }
        var unused = server.txn(txn.build());
    }

    private PutRequest put(ByteString key, int valueBytesMax) {
        PutRequest.Builder put = PutRequest.newBuilder().setKey(key);
        if (random.nextInt(5) > 0) {
            put.setValue(bytes(random.nextInt(valueBytesMax)));
        }
        if (random.nextInt(4) == 0) {
            put.setLease(LEASES.get(random.nextInt(LEASES.size())));
        }
        return put.build();
    }

    private ByteString key() {
        return keys.get(random.nextInt(keys.size()));
    }

    private ByteString bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }
}
