package io.brain.bench.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Requests like those of Kubernetes. */
public final class Requests {

    private static final String LETTERS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

    private Requests() {}

    /** A value that does not compress away: random letters, equal in every run. */
    public static byte[] value(int bytes) {
        Random random = new Random(bytes);
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            value[i] = (byte) LETTERS.charAt(random.nextInt(LETTERS.length()));
        }
        return value;
    }

    /** A plain put. */
    public static Template put(KeySpace keys, byte[] value) {
        return new Template(keys, put(first(keys), value).build());
    }

    /** A read of one key. */
    public static Template get(KeySpace keys) {
        return new Template(keys, get(first(keys)).build());
    }

    /** A put that requires the key not to exist. */
    public static GuardedTemplate create(KeySpace keys, byte[] value) {
        RequestOp put = RequestOp.newBuilder().setRequestPut(put(first(keys), value)).build();
        return new GuardedTemplate(keys, TxnRequest.newBuilder().addSuccess(put).build());
    }

    /** A put that requires a revision, and otherwise reads the key. */
    public static GuardedTemplate update(KeySpace keys, byte[] value) {
        RequestOp put = RequestOp.newBuilder().setRequestPut(put(first(keys), value)).build();
        return guarded(keys, put);
    }

    /** A delete that requires a revision, and otherwise reads the key. */
    public static GuardedTemplate delete(KeySpace keys) {
        DeleteRangeRequest.Builder delete = DeleteRangeRequest.newBuilder().setKey(first(keys));
        return guarded(keys, RequestOp.newBuilder().setRequestDeleteRange(delete).build());
    }

    /**
     * A read of a range.
     *
     * @param limit 0 for none
     * @param revision 0 for the newest
     */
    public static RangeRequest.Builder range(byte[] from, byte[] end, long limit, long revision) {
        return RangeRequest.newBuilder()
                .setKey(UnsafeByteOperations.unsafeWrap(from))
                .setRangeEnd(UnsafeByteOperations.unsafeWrap(end))
                .setLimit(limit)
                .setRevision(revision);
    }

    /**
     * A read of the first key at or after one. The order is not set, as in etcd's Go client for
     * ascending keys.
     */
    public static RangeRequest.Builder first(KeySpace keys, long number) {
        return range(keys.key(number), keys.end(), 1, 0);
    }

    /** A read of the last key before one. */
    public static RangeRequest.Builder last(KeySpace keys, long number) {
        byte[] prefix = keys.prefix().getBytes(StandardCharsets.US_ASCII);
        return range(prefix, keys.key(number), 1, 0)
                .setSortTarget(RangeRequest.SortTarget.KEY)
                .setSortOrder(RangeRequest.SortOrder.DESCEND);
    }

    /** A read of the key that changed last, of all. */
    public static RangeRequest.Builder newest(KeySpace keys) {
        return range(keys.key(0), keys.end(), 1, 0)
                .setSortTarget(RangeRequest.SortTarget.MOD)
                .setSortOrder(RangeRequest.SortOrder.DESCEND);
    }

    /**
     * One transaction that puts several keys.
     *
     * @param to number after the last key
     */
    public static byte[] fill(KeySpace keys, long from, long to, byte[] value) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (long number = from; number < to; number++) {
            ByteString key = UnsafeByteOperations.unsafeWrap(keys.key(number));
            txn.addSuccess(RequestOp.newBuilder().setRequestPut(put(key, value)));
        }
        return txn.build().toByteArray();
    }

    private static GuardedTemplate guarded(KeySpace keys, RequestOp success) {
        RequestOp get = RequestOp.newBuilder().setRequestRange(get(first(keys))).build();
        return new GuardedTemplate(
                keys, TxnRequest.newBuilder().addSuccess(success).addFailure(get).build());
    }

    private static ByteString first(KeySpace keys) {
        return UnsafeByteOperations.unsafeWrap(keys.key(0));
    }

    private static PutRequest.Builder put(ByteString key, byte[] value) {
        return PutRequest.newBuilder().setKey(key).setValue(UnsafeByteOperations.unsafeWrap(value));
    }

    private static RangeRequest.Builder get(ByteString key) {
        return RangeRequest.newBuilder().setKey(key);
    }
}
