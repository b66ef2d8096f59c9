package io.brain.conformance.access;

import com.google.protobuf.ByteString;
import io.brain.conformance.script.Requests;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.Compare.CompareResult;
import io.brain.proto.etcd.Compare.CompareTarget;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Made-up calls on keys: single ones, ranges, prefixes, from a key on; all shapes of writes. */
final class KeyCalls {
    /** Few keys, so that permissions are met; some are prefixes of others. */
    private static final List<String> KEYS = List.of("a", "a1", "a2", "b", "b1", "c", "d", "e");

    private static final int LEASE_FIRST = 101;
    private static final int LEASES = 4;

    private static final int DEPTH_MAX = 2;

    /** Of one branch, those of nested transactions apart. */
    private static final int OPERATIONS_MAX = 3;

    private final Random random;

    /**
     * Keys that the current branch of a transaction writes, with those nested in it: a second write
     * of a key is refused for the form by etcd, for a wrong token by Brain.
     */
    private final Set<String> written = new HashSet<>();

    KeyCalls(Random random) {
        this.random = random;
    }

    /** A lease, which may exist. */
    long lease() {
        return (long) LEASE_FIRST + random.nextInt(LEASES);
    }

    String key() {
        return KEYS.get(random.nextInt(KEYS.size()));
    }

    /**
     * An end for a key: none, a later key, its prefix's, or no end. Whether etcd permits a range
     * that ends before it begins depends on the shape of its interval tree.
     */
    private ByteString end(String key) {
        String other = key();
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> ByteString.EMPTY;
            case 3, 4 -> Requests.bytes(other.compareTo(key) > 0 ? other : "");
            case 5, 6 -> Requests.bytes(afterPrefix(key));
            default -> Requests.bytes(Requests.ZERO);
        };
    }

    private static String afterPrefix(String key) {
        int last = key.length() - 1;
        return key.substring(0, last) + (char) (key.charAt(last) + 1);
    }

    Permission permission() {
        String key = random.nextInt(20) == 0 ? "" : key();
        return Permission.newBuilder()
                .setPermTypeValue(random.nextInt(3))
                .setKey(Requests.bytes(key))
                .setRangeEnd(key.isEmpty() ? Requests.bytes(Requests.ZERO) : permittedEnd(key))
                .build();
    }

    /** Also one that is not after its key, which is refused. */
    private ByteString permittedEnd(String key) {
        return random.nextInt(10) == 0 ? Requests.bytes(key()) : end(key);
    }

    Call<?, ?> next() {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> new Call<>(KVGrpc.getRangeMethod(), range());
            case 4 -> new Call<>(KVGrpc.getRangeStreamMethod(), plainRange());
            case 5, 6, 7, 8 -> new Call<>(KVGrpc.getPutMethod(), put());
            case 9, 10 -> new Call<>(KVGrpc.getDeleteRangeMethod(), delete());
            case 11, 12, 13 -> new Call<>(WatchGrpc.getWatchMethod(), watch());
            default -> new Call<>(KVGrpc.getTxnMethod(), txn(DEPTH_MAX));
        };
    }

    private RangeRequest plainRange() {
        String key = key();
        return RangeRequest.newBuilder()
                .setKey(Requests.bytes(key))
                .setRangeEnd(end(key))
                .setSerializable(random.nextInt(4) == 0)
                .build();
    }

    private RangeRequest range() {
        return plainRange().toBuilder()
                .setCountOnly(random.nextInt(6) == 0)
                .setKeysOnly(random.nextInt(6) == 0)
                .setLimit(random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0)
                .build();
    }

    private PutRequest put() {
        PutRequest.Builder put =
                PutRequest.newBuilder()
                        .setKey(Requests.bytes(key()))
                        .setPrevKv(random.nextInt(3) == 0)
                        .setIgnoreLease(random.nextInt(8) == 0);
        if (random.nextInt(6) == 0) {
            put.setIgnoreValue(true);
        } else {
            put.setValue(Requests.bytes(Integer.toString(random.nextInt(100))));
        }
        if (!put.getIgnoreLease() && random.nextInt(3) == 0) {
            put.setLease(lease());
        }
        return put.build();
    }

    private DeleteRangeRequest delete() {
        String key = key();
        return DeleteRangeRequest.newBuilder()
                .setKey(Requests.bytes(key))
                .setRangeEnd(end(key))
                .setPrevKv(random.nextInt(3) == 0)
                .build();
    }

    private WatchRequest watch() {
        String key = key();
        WatchCreateRequest.Builder watch =
                WatchCreateRequest.newBuilder()
                        .setKey(Requests.bytes(key))
                        .setRangeEnd(end(key))
                        .setPrevKv(random.nextInt(4) == 0)
                        .setWatchId(random.nextInt(3));
        return WatchRequest.newBuilder().setCreateRequest(watch).build();
    }

    private TxnRequest txn(int depth) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            txn.addCompare(compare());
        }
        startBranch(depth);
        for (int i = random.nextInt(OPERATIONS_MAX + 1); i > 0; i--) {
            txn.addSuccess(op(depth));
        }
        startBranch(depth);
        for (int i = random.nextInt(OPERATIONS_MAX); i > 0; i--) {
            txn.addFailure(op(depth));
        }
        return txn.build();
    }

    private void startBranch(int depth) {
        if (depth == DEPTH_MAX) {
            written.clear();
        }
    }

    private Compare compare() {
        String key = key();
        return Requests.compare(key, CompareTarget.VERSION, CompareResult.GREATER)
                .setVersion(random.nextInt(2))
                .setRangeEnd(random.nextInt(3) == 0 ? end(key) : ByteString.EMPTY)
                .build();
    }

    private RequestOp op(int depth) {
        RequestOp.Builder op = RequestOp.newBuilder();
        return switch (random.nextInt(depth > 0 ? 10 : 6)) {
            case 0, 1 -> op.setRequestRange(range()).build();
            case 2, 3, 4 -> {
                PutRequest put = put();
                yield isFirstWrite(put.getKey(), ByteString.EMPTY)
                        ? op.setRequestPut(put).build()
                        : op.setRequestRange(range()).build();
            }
            case 5 -> {
                DeleteRangeRequest delete = delete();
                yield isFirstWrite(delete.getKey(), delete.getRangeEnd())
                        ? op.setRequestDeleteRange(delete).build()
                        : op.setRequestRange(range()).build();
            }
            default -> op.setRequestTxn(txn(depth - 1)).build();
        };
    }

    /** Whether the branch writes none of these keys yet; then it does. */
    private boolean isFirstWrite(ByteString key, ByteString end) {
        String first = key.toStringUtf8();
        String last = end.toStringUtf8();
        List<String> keys =
                last.isEmpty()
                        ? List.of(first)
                        : KEYS.stream()
                                .filter(other -> other.compareTo(first) >= 0)
                                .filter(
                                        other ->
                                                last.equals(Requests.ZERO)
                                                        || other.compareTo(last) < 0)
                                .toList();
        return Collections.disjoint(written, keys) && written.addAll(keys);
    }
}
