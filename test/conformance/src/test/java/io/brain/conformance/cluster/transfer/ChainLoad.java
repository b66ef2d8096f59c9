package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;

/**
 * Fills a server with a large random history, many requests at a time: every key is put; some keys
 * live and end ten times before a compaction in the middle and ten times after it; puts, deletes
 * and transactions of several keys; leases; values without bytes and of 1 MB. Used by one thread.
 */
final class ChainLoad {
    static final int KEYS = Form.size(1_000, 200_000);
    static final int REVISIONS = Form.size(8_000, 1_000_000);
    static final int LEASES = Form.size(100, 10_000);

    private static final int HOT_KEYS = KEYS / 25;
    private static final int GENERATIONS = 10;
    private static final int LARGE_BYTES = 1_000_000;
    private static final int VALUE_BYTES_MAX = 100;
    private static final int TXN_KEYS_MAX = 8;
    private static final long TTL_SECONDS = 86_400;

    private final EtcdClient client;
    private final Pipeline calls;
    private final Random random;
    private long revision;

    ChainLoad(EtcdClient client, long seed) {
        this.client = client;
        this.calls = new Pipeline(client);
        this.random = new Random(seed);
    }

    /** Fills the server; returns the compacted revision. */
    long run() throws InterruptedException {
        for (int i = 1; i <= LEASES; i++) {
            calls.grant(i, TTL_SECONDS + i);
        }
        settle();
        for (int i = 0; i < KEYS; i++) {
            put(key(i));
        }
        half(REVISIONS / 2);
        long compacted = client.revision() - REVISIONS / 100;
        client.compact(compacted);
        half(REVISIONS);
        return compacted;
    }

    private void half(long until) throws InterruptedException {
        byte[] large = new byte[LARGE_BYTES];
        random.nextBytes(large);
        var unused = client.put(Keys.of("large"), ByteString.copyFrom(large));
        for (int i = 0; i < GENERATIONS; i++) {
            settle(); // a delete must find the key
            for (int key = 0; key < HOT_KEYS; key++) {
                put(key(key));
            }
            settle();
            for (int key = 0; key < HOT_KEYS; key++) {
                calls.delete(key(key));
            }
        }
        settle();
        while (revision < until) {
            for (long left = until - revision; left > 0; left--) {
                change();
            }
            settle();
        }
    }

    private void change() throws InterruptedException {
        int dice = random.nextInt(100);
        if (dice < 60) {
            put(anyKey());
        } else if (dice < 75) {
            calls.delete(anyKey());
        } else {
            transaction();
        }
    }

    private void transaction() throws InterruptedException {
        Set<ByteString> keys = new LinkedHashSet<>();
        for (int i = 1 + random.nextInt(TXN_KEYS_MAX); i >= 0; i--) {
            keys.add(anyKey());
        }
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (ByteString key : keys) {
            RequestOp.Builder op = RequestOp.newBuilder();
            if (random.nextInt(4) == 0) {
                op.setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key));
            } else {
                op.setRequestPut(request(key));
            }
            txn.addSuccess(op);
        }
        calls.txn(txn.build());
    }

    private void put(ByteString key) throws InterruptedException {
        calls.put(request(key));
    }

    private PutRequest request(ByteString key) {
        byte[] value = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(VALUE_BYTES_MAX)];
        random.nextBytes(value);
        PutRequest.Builder put =
                PutRequest.newBuilder().setKey(key).setValue(ByteString.copyFrom(value));
        return random.nextInt(8) == 0
                ? put.setLease(1 + random.nextInt(LEASES)).build()
                : put.build();
    }

    private void settle() throws InterruptedException {
        calls.settle();
        revision = client.revision();
    }

    private ByteString anyKey() {
        return key(random.nextInt(KEYS));
    }

    /** Text, or bytes among which are those that escape and separate in stored keys. */
    private static ByteString key(int number) {
        if (number % 4 != 0) {
            return Keys.of("/registry/kind" + number % 7 + "/name" + number);
        }
        byte[] bytes = ByteBuffer.allocate(7).put((byte) (number % 250 + 1)).putInt(number).array();
        bytes[5] = (byte) (number % 3 == 0 ? '%' : '$');
        return ByteString.copyFrom(bytes);
    }
}
