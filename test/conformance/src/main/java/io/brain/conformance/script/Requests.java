package io.brain.conformance.script;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.Compare.CompareResult;
import io.brain.proto.etcd.Compare.CompareTarget;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortOrder;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Short words for requests. In a key or a value each char is one byte: "\0" and "\u00ff" work. */
public final class Requests {

    /** As a key: the lowest there is; as a range end: no end. */
    public static final String ZERO = "\0";

    private Requests() {}

    public static ByteString bytes(String text) {
        return ByteString.copyFrom(text, StandardCharsets.ISO_8859_1);
    }

    /** A value of this many bytes. */
    public static ByteString large(int size) {
        byte[] value = new byte[size];
        Arrays.fill(value, (byte) 'x');
        return ByteString.copyFrom(value);
    }

    public static RangeRequest.Builder get(String key) {
        return RangeRequest.newBuilder().setKey(bytes(key));
    }

    public static RangeRequest.Builder range(String key, String end) {
        return get(key).setRangeEnd(bytes(end));
    }

    public static RangeRequest.Builder all() {
        return range(ZERO, ZERO);
    }

    /** A range in an order of its own. */
    public static RangeRequest.Builder sorted(
            RangeRequest.Builder range, SortTarget target, SortOrder order) {
        return range.setSortTarget(target).setSortOrder(order);
    }

    public static PutRequest.Builder put(String key, String value) {
        return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value));
    }

    public static PutRequest.Builder put(String key, ByteString value) {
        return PutRequest.newBuilder().setKey(bytes(key)).setValue(value);
    }

    public static DeleteRangeRequest.Builder delete(String key) {
        return DeleteRangeRequest.newBuilder().setKey(bytes(key));
    }

    public static DeleteRangeRequest.Builder delete(String key, String end) {
        return delete(key).setRangeEnd(bytes(end));
    }

    public static CompactionRequest.Builder compact(long revision) {
        return CompactionRequest.newBuilder().setRevision(revision);
    }

    public static LeaseGrantRequest.Builder lease(long id, long ttl) {
        return LeaseGrantRequest.newBuilder().setID(id).setTTL(ttl);
    }

    public static WatchCreateRequest.Builder watch(String key) {
        return WatchCreateRequest.newBuilder().setKey(bytes(key));
    }

    public static WatchCreateRequest.Builder watch(String key, String end) {
        return watch(key).setRangeEnd(bytes(end));
    }

    /** A watcher of every key. */
    public static WatchCreateRequest.Builder watchAll() {
        return watch(ZERO, ZERO);
    }

    public static Compare.Builder version(String key, CompareResult result, long operand) {
        return compare(key, CompareTarget.VERSION, result).setVersion(operand);
    }

    public static Compare.Builder created(String key, CompareResult result, long operand) {
        return compare(key, CompareTarget.CREATE, result).setCreateRevision(operand);
    }

    public static Compare.Builder modified(String key, CompareResult result, long operand) {
        return compare(key, CompareTarget.MOD, result).setModRevision(operand);
    }

    public static Compare.Builder value(String key, CompareResult result, String operand) {
        return compare(key, CompareTarget.VALUE, result).setValue(bytes(operand));
    }

    public static Compare.Builder leased(String key, CompareResult result, long operand) {
        return compare(key, CompareTarget.LEASE, result).setLease(operand);
    }

    /** A comparison without an operand. */
    public static Compare.Builder compare(String key, CompareTarget target, CompareResult result) {
        return Compare.newBuilder().setKey(bytes(key)).setTarget(target).setResult(result);
    }

    /** A transaction that takes its first branch. */
    public static Txn txn(Message.Builder... success) {
        return new Txn().then(success);
    }

    /** A transaction under these conditions. */
    public static Txn when(Compare.Builder... conditions) {
        return new Txn().when(conditions);
    }

    /** Wraps a request as an operation of a transaction. */
    public static RequestOp op(Message.Builder request) {
        RequestOp.Builder op = RequestOp.newBuilder();
        if (request instanceof RangeRequest.Builder range) {
            return op.setRequestRange(range).build();
        }
        if (request instanceof PutRequest.Builder put) {
            return op.setRequestPut(put).build();
        }
        if (request instanceof DeleteRangeRequest.Builder delete) {
            return op.setRequestDeleteRange(delete).build();
        }
        if (request instanceof TxnRequest.Builder txn) {
            return op.setRequestTxn(txn).build();
        }
        if (request instanceof RequestOp.Builder ready) {
            return ready.build();
        }
        throw new IllegalArgumentException(
                "not an operation: " + request.getDescriptorForType().getFullName());
    }

    /** A transaction being written down. */
    public static final class Txn {

        private final TxnRequest.Builder builder = TxnRequest.newBuilder();

        private Txn() {}

        private Txn when(Compare.Builder... conditions) {
            for (Compare.Builder condition : conditions) {
                builder.addCompare(condition);
            }
            return this;
        }

        public Txn then(Message.Builder... ops) {
            for (Message.Builder op : ops) {
                builder.addSuccess(op(op));
            }
            return this;
        }

        public Txn otherwise(Message.Builder... ops) {
            for (Message.Builder op : ops) {
                builder.addFailure(op(op));
            }
            return this;
        }

        /** For use as an operation of another transaction. */
        public TxnRequest.Builder nested() {
            return builder;
        }

        public TxnRequest build() {
            return builder.build();
        }
    }
}
