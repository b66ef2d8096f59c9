package io.brain.conformance.linear.load;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.linear.Operation;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.KeyValue;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Makes up one client's requests from a seed. Every value is unique, so that whatever lands tells
 * who wrote it. Used by one thread.
 */
final class Requests {

    /** Keys that all kinds of request share. */
    static final String SHARED = "k/";

    /**
     * Keys of single-key requests only, for the search: a few at a time, new ones after a while.
     */
    static final String REGISTERS = "x/";

    /** A request and what reports call it. */
    record Named(String kind, TxnRequest request) {}

    private static final int SHARED_KEYS = 24;
    private static final int REGISTERS_AT_A_TIME = 3;
    private static final long REGISTER_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final int OLD_REVISIONS = 50;

    private final String client;
    private final Random random;
    private final Map<ByteString, KeyValue> known = new HashMap<>();
    private final Map<ByteString, ByteString> registers = new HashMap<>();
    private int values;
    private long newestRevision = 1;

    Requests(String client, Random random) {
        this.client = client;
        this.random = random;
    }

    /** The next request. */
    Named next() {
        int dice = random.nextInt(100);
        if (dice < 30) {
            return onRegister();
        }
        ByteString key = sharedKey();
        if (dice < 44) {
            return new Named("put", plain(put(key)));
        }
        if (dice < 50) {
            return new Named("delete", plain(delete(key, ByteString.EMPTY)));
        }
        if (dice < 52) {
            return new Named("delete range", plain(delete(key, keyAfter(key))));
        }
        if (dice < 62) {
            return new Named("get", plain(get(key)));
        }
        if (dice < 68) {
            return new Named("range", plain(list().setLimit(random.nextInt(30))));
        }
        if (dice < 70) {
            return new Named("count", plain(list().setCountOnly(true)));
        }
        if (dice < 74) {
            long back = random.nextInt(OLD_REVISIONS);
            return new Named(
                    "range at old", plain(list().setRevision(Math.max(1, newestRevision - back))));
        }
        if (dice < 80) {
            return new Named("serializable range", plain(list().setSerializable(true)));
        }
        if (dice < 92) {
            return new Named("txn swap", swap(key));
        }
        return new Named("txn many", many(key, sharedKey()));
    }

    /** Learns from an answer what to compare with. */
    void learn(Operation operation) {
        newestRevision = Math.max(newestRevision, operation.revision());
        operation.answer().getResponsesList().forEach(part -> learn(part.getResponseRange()));
    }

    private void learn(RangeResponse found) {
        for (KeyValue value : found.getKvsList()) {
            known.put(value.getKey(), value);
            registers.computeIfPresent(value.getKey(), (key, old) -> value.getValue());
        }
    }

    private Named onRegister() {
        long period = System.nanoTime() / REGISTER_NANOS;
        ByteString key =
                Keys.of(REGISTERS + period % 1_000_000 + "/" + random.nextInt(REGISTERS_AT_A_TIME));
        if (!registers.containsKey(key)) {
            registers.clear();
            registers.put(key, ByteString.EMPTY);
        }
        int dice = random.nextInt(100);
        if (dice < 30) {
            return new Named("put", plain(put(key)));
        }
        if (dice < 60) {
            return new Named("get", plain(get(key)));
        }
        if (dice < 70) {
            return new Named("delete", plain(delete(key, ByteString.EMPTY)));
        }
        ByteString expected = registers.get(key);
        Compare.Builder compare = Compare.newBuilder().setKey(key);
        if (expected.isEmpty()) {
            compare.setTarget(Compare.CompareTarget.VERSION).setVersion(0);
        } else {
            compare.setTarget(Compare.CompareTarget.VALUE).setValue(expected);
        }
        return new Named("txn swap", ifSo(compare, key));
    }

    /** As Kubernetes updates an object: if it is what was read, put; else read it. */
    private TxnRequest swap(ByteString key) {
        return ifSo(unchanged(key), key);
    }

    private TxnRequest ifSo(Compare.Builder compare, ByteString key) {
        return TxnRequest.newBuilder()
                .addCompare(compare)
                .addSuccess(RequestOp.newBuilder().setRequestPut(put(key)))
                .addFailure(RequestOp.newBuilder().setRequestRange(get(key)))
                .build();
    }

    /** Two keys together, with reads before and after; sometimes a delete. */
    private TxnRequest many(ByteString one, ByteString other) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        if (random.nextInt(3) > 0) {
            txn.addCompare(unchanged(one));
        }
        if (random.nextInt(4) == 0) {
            txn.addCompare(
                    Compare.newBuilder()
                            .setTarget(Compare.CompareTarget.VERSION)
                            .setResult(Compare.CompareResult.LESS)
                            .setKey(Keys.of(SHARED))
                            .setRangeEnd(Keys.prefixEnd(Keys.of(SHARED)))
                            .setVersion(random.nextInt(20)));
        }
        txn.addSuccess(RequestOp.newBuilder().setRequestRange(list()));
        txn.addSuccess(RequestOp.newBuilder().setRequestPut(put(one)));
        if (!one.equals(other)) {
            if (random.nextBoolean()) {
                txn.addSuccess(RequestOp.newBuilder().setRequestPut(put(other)));
            } else {
                txn.addSuccess(
                        RequestOp.newBuilder()
                                .setRequestDeleteRange(delete(other, ByteString.EMPTY)));
            }
        }
        txn.addSuccess(RequestOp.newBuilder().setRequestRange(list().setLimit(5)));
        txn.addFailure(RequestOp.newBuilder().setRequestRange(get(one)));
        txn.addFailure(RequestOp.newBuilder().setRequestRange(get(other)));
        return txn.build();
    }

    private Compare.Builder unchanged(ByteString key) {
        KeyValue old = known.getOrDefault(key, KeyValue.getDefaultInstance());
        return Compare.newBuilder()
                .setTarget(Compare.CompareTarget.MOD)
                .setKey(key)
                .setModRevision(old.getModRevision());
    }

    private PutRequest.Builder put(ByteString key) {
        return PutRequest.newBuilder()
                .setKey(key)
                .setValue(Keys.of(client + "." + values++))
                .setPrevKv(key.startsWith(Keys.of(REGISTERS)) || random.nextBoolean());
    }

    private DeleteRangeRequest.Builder delete(ByteString key, ByteString end) {
        return DeleteRangeRequest.newBuilder()
                .setKey(key)
                .setRangeEnd(end)
                .setPrevKv(random.nextBoolean());
    }

    private static RangeRequest.Builder get(ByteString key) {
        return RangeRequest.newBuilder().setKey(key);
    }

    private static RangeRequest.Builder list() {
        return RangeRequest.newBuilder()
                .setKey(Keys.of(SHARED))
                .setRangeEnd(Keys.prefixEnd(Keys.of(SHARED)));
    }

    private ByteString sharedKey() {
        return Keys.of(SHARED + (10 + random.nextInt(SHARED_KEYS)));
    }

    /** A little behind the key, so that a range has one to three keys in it. */
    private ByteString keyAfter(ByteString key) {
        int number = Integer.parseInt(key.toStringUtf8().substring(SHARED.length()));
        return Keys.of(SHARED + (number + 1 + random.nextInt(3)));
    }

    private static TxnRequest plain(PutRequest.Builder put) {
        return Operation.plain(RequestOp.newBuilder().setRequestPut(put));
    }

    private static TxnRequest plain(DeleteRangeRequest.Builder delete) {
        return Operation.plain(RequestOp.newBuilder().setRequestDeleteRange(delete));
    }

    private static TxnRequest plain(RangeRequest.Builder range) {
        return Operation.plain(RequestOp.newBuilder().setRequestRange(range));
    }
}
