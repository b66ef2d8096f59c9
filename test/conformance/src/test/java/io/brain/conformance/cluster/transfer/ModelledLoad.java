package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Makes random changes, one at a time, and keeps the model of what they have made. */
final class ModelledLoad {
    private static final int KEYS = 300;
    private static final int VALUE_BYTES_MAX = 400;
    private static final int TXN_KEYS_MAX = 8;
    private static final int LEASES = 5;

    private final EtcdClient client;
    private final Random random;
    private final HistoryModel model = new HistoryModel();
    private final List<Long> leases = new ArrayList<>();

    ModelledLoad(EtcdClient client, long seed) {
        this.client = client;
        this.random = new Random(seed);
        for (int i = 0; i < LEASES; i++) {
            leases.add(client.grant(Duration.ofHours(24 + i)));
        }
    }

    HistoryModel model() {
        return model;
    }

    /** Makes one new revision, or none if it deletes a key that does not exist. */
    void change() {
        int dice = random.nextInt(100);
        if (dice < 60) {
            put();
        } else if (dice < 75) {
            delete();
        } else {
            transaction();
        }
    }

    private void put() {
        PutRequest put = request(key());
        long sent = System.currentTimeMillis();
        PutResponse answer = client.kv().put(put);
        long revision = answer.getHeader().getRevision();
        model.put(revision, put.getKey(), put.getValue(), put.getLease());
        committed(revision, sent);
    }

    private void delete() {
        ByteString key = key();
        long sent = System.currentTimeMillis();
        long revision = client.delete(key, ByteString.EMPTY).getHeader().getRevision();
        if (model.exists(key)) {
            model.delete(revision, key);
            committed(revision, sent);
        }
    }

    private void transaction() {
        Set<ByteString> keys = new LinkedHashSet<>();
        for (int i = 1 + random.nextInt(TXN_KEYS_MAX); i >= 0; i--) {
            keys.add(key());
        }
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (ByteString key : keys) {
            // A put among them: the transaction has a revision.
            if (txn.getSuccessCount() > 0 && random.nextInt(4) == 0) {
                txn.addSuccess(
                        RequestOp.newBuilder()
                                .setRequestDeleteRange(
                                        DeleteRangeRequest.newBuilder().setKey(key)));
            } else {
                txn.addSuccess(RequestOp.newBuilder().setRequestPut(request(key)));
            }
        }
        long sent = System.currentTimeMillis();
        long revision = client.txn(txn.build()).getHeader().getRevision();
        for (RequestOp op : txn.getSuccessList()) {
            PutRequest put = op.getRequestPut();
            ByteString deleted = op.getRequestDeleteRange().getKey();
            if (op.hasRequestPut()) {
                model.put(revision, put.getKey(), put.getValue(), put.getLease());
            } else if (model.exists(deleted)) {
                model.delete(revision, deleted);
            }
        }
        committed(revision, sent);
    }

    private void committed(long revision, long sent) {
        model.committed(revision, sent, System.currentTimeMillis());
    }

    private PutRequest request(ByteString key) {
        byte[] value = new byte[random.nextInt(5) == 0 ? 0 : random.nextInt(VALUE_BYTES_MAX)];
        random.nextBytes(value);
        PutRequest.Builder put =
                PutRequest.newBuilder().setKey(key).setValue(ByteString.copyFrom(value));
        return random.nextInt(5) == 0
                ? put.setLease(leases.get(random.nextInt(LEASES))).build()
                : put.build();
    }

    private ByteString key() {
        int number = random.nextInt(KEYS);
        return number % 5 == 0
                ? ByteString.copyFrom(new byte[] {(byte) number, (byte) (number >> 4), '$', 0})
                : Keys.of("/registry/kind" + number % 7 + "/name" + number);
    }
}
