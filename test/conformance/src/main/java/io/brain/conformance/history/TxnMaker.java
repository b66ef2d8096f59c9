package io.brain.conformance.history;

import com.google.protobuf.ByteString;
import io.brain.conformance.script.Requests;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.Compare.CompareTarget;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.KeyValue;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** Makes up transactions of every shape. */
final class TxnMaker {

    private static final int DEPTH_MAX = 3;
    private static final int TRIES = 5;
    private static final ByteString OPEN_END = Requests.bytes(Requests.ZERO);

    private final Random random;
    private final Choices choices;
    private final Generator generator;
    private boolean keeping;

    TxnMaker(Random random, Choices choices, Generator generator) {
        this.random = random;
        this.choices = choices;
        this.generator = generator;
    }

    /**
     * A transaction. It may delete from a key on or keep values and leases, not both: etcd dies of
     * a put that keeps the value of a key which the same transaction has just deleted that way.
     */
    TxnRequest.Builder txn() {
        keeping = choices.oneIn(2);
        return txn(0, new HashSet<>());
    }

    private TxnRequest.Builder txn(int depth, Set<ByteString> written) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            txn.addCompare(compare());
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            txn.addSuccess(op(depth, written));
        }
        Set<ByteString> other = new HashSet<>(written);
        for (int i = random.nextInt(4); i > 0; i--) {
            txn.addFailure(op(depth, other));
        }
        written.addAll(other);
        return txn;
    }

    private RequestOp.Builder op(int depth, Set<ByteString> written) {
        RequestOp.Builder op = RequestOp.newBuilder();
        int dice = random.nextInt(100);
        if (dice < 40) {
            return op.setRequestPut(put(written));
        }
        if (dice < 52) {
            return op.setRequestDeleteRange(delete());
        }
        if (dice < 85 || depth >= DEPTH_MAX) {
            return op.setRequestRange(generator.range());
        }
        return dice < 99 ? op.setRequestTxn(txn(depth + 1, written)) : op;
    }

    /** Mostly of a key that nothing else writes: the other case ends the transaction at once. */
    private PutRequest.Builder put(Set<ByteString> written) {
        ByteString key = choices.key();
        for (int i = 0; i < TRIES && written.contains(key); i++) {
            key = choices.key();
        }
        written.add(key);
        PutRequest.Builder put = generator.put(key);
        return keeping ? put : put.setIgnoreValue(false).setIgnoreLease(false);
    }

    private DeleteRangeRequest.Builder delete() {
        DeleteRangeRequest.Builder delete = generator.delete();
        boolean open = delete.getRangeEnd().equals(OPEN_END);
        return keeping && open ? delete.clearRangeEnd() : delete;
    }

    private Compare.Builder compare() {
        ByteString key = choices.key();
        KeyValue known = choices.known(key).orElse(KeyValue.getDefaultInstance());
        Compare.Builder compare =
                Compare.newBuilder().setKey(key).setResultValue(random.nextInt(4));
        CompareTarget target = CompareTarget.forNumber(random.nextInt(5));
        switch (target) {
            case VERSION -> compare.setVersion(near(known.getVersion()));
            case CREATE -> compare.setCreateRevision(near(known.getCreateRevision()));
            case MOD -> compare.setModRevision(near(known.getModRevision()));
            case LEASE -> compare.setLease(known.getLease());
            default -> compare.setValue(choices.oneIn(2) ? choices.value() : known.getValue());
        }
        if (choices.oneIn(3)) {
            compare.setRangeEnd(choices.end());
        }
        if (choices.oneIn(60)) {
            return compare.setResultValue(9);
        }
        // Now and then the target is not the operand's, or unknown.
        return compare.setTargetValue(choices.oneIn(40) ? random.nextInt(7) : target.getNumber());
    }

    private long near(long number) {
        return choices.oneIn(3) ? number + random.nextInt(3) - 1 : number;
    }
}
