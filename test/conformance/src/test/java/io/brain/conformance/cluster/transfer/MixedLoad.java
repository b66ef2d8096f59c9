package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random changes of every kind: generations, tombstones, transactions, leases, odd keys. */
final class MixedLoad {

    private static final int KEYS = 60;
    private static final int LARGE_BYTES = 1_000_000;

    private final EtcdClient client;
    private final Random random;
    private final List<Long> leases = new ArrayList<>();

    MixedLoad(EtcdClient client, int seed) {
        this.client = client;
        this.random = new Random(seed);
        for (int i = 0; i < 3; i++) {
            leases.add(client.grant(Duration.ofMinutes(60 + i)));
        }
    }

    List<Long> leases() {
        return leases;
    }

    /** One value of 1 MB. */
    void putLarge() {
        byte[] value = new byte[LARGE_BYTES];
        random.nextBytes(value);
        var unused = client.put(Keys.of("large"), ByteString.copyFrom(value));
    }

    /** Compacts at a revision between the oldest readable one and the newest. */
    long compact() {
        long newest = client.revision();
        long revision = newest - random.nextInt((int) Math.min(newest / 2, 50)) - 1;
        // etcd loses keys that were deleted and put again in a revision that it compacts.
        client.put(Keys.of("compacted"), Keys.of("x"));
        client.compact(revision);
        return revision;
    }

    /** Any change. */
    void change() {
        int dice = random.nextInt(100);
        if (dice < 55) {
            var unused = client.kv().put(put(key()));
        } else if (dice < 70) {
            var unused = client.delete(key(), ByteString.EMPTY);
        } else if (dice < 73) {
            ByteString from = key();
            var unused = client.delete(from, Keys.prefixEnd(from));
        } else if (dice < 98) {
            transaction();
        } else {
            int which = random.nextInt(leases.size());
            client.revoke(leases.get(which));
            leases.set(which, client.grant(Duration.ofMinutes(60 + which)));
        }
    }

    private void transaction() {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        int first = random.nextInt(KEYS);
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            ByteString key = key(first + i);
            txn.addSuccess(
                    random.nextInt(3) == 0
                            ? RequestOp.newBuilder()
                                    .setRequestDeleteRange(
                                            DeleteRangeRequest.newBuilder().setKey(key))
                            : RequestOp.newBuilder().setRequestPut(put(key)));
        }
        var unused = client.txn(txn.build());
    }

    private PutRequest put(ByteString key) {
        byte[] value = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(300)];
        random.nextBytes(value);
        PutRequest.Builder put =
                PutRequest.newBuilder().setKey(key).setValue(ByteString.copyFrom(value));
        return random.nextInt(4) == 0
                ? put.setLease(leases.get(random.nextInt(leases.size()))).build()
                : put.build();
    }

    private ByteString key() {
        return key(random.nextInt(KEYS));
    }

    /** Text, or bytes that escape and separate in stored keys, and those next to them. */
    private static ByteString key(int number) {
        int index = number % KEYS;
        return index % 3 == 0
                ? ByteString.copyFrom(new byte[] {(byte) (index % 7 * 0x24), 0, '%', (byte) index})
                : Keys.of("/registry/kind" + index % 5 + "/name" + index);
    }
}
