package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Txn;
import io.brain.backend.watch.WatchRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchCreateRequest.FilterType;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/** Translates requests for the backend. Invalid requests fail; the checks are in etcd's order. */
public final class RequestTranslator {
    private static final Bytes LEAST_KEY = Bytes.wrap(new byte[1]);

    private final int txnOpsMax;

    /**
     * Creates a translator.
     *
     * @param txnOpsMax maximum number of operations of a transaction
     */
    public RequestTranslator(int txnOpsMax) {
        this.txnOpsMax = txnOpsMax;
    }

    RangeQuery range(RangeRequest request) {
        KeySpan span = span(request.getKey(), request.getRangeEnd());
        return new RangeQuery(
                span,
                request.getLimit(),
                request.getRevision(),
                sortOrder(request),
                sortTarget(request),
                request.getKeysOnly(),
                request.getCountOnly(),
                request.getSerializable(),
                filter(request));
    }

    Op.Put put(PutRequest request) {
        requireKey(request.getKey());
        if (request.getIgnoreValue() && !request.getValue().isEmpty()) {
            throw new BackendException(ErrorKind.VALUE_PROVIDED);
        }
        if (request.getIgnoreLease() && request.getLease() != 0) {
            throw new BackendException(ErrorKind.LEASE_PROVIDED);
        }
        return new Op.Put(
                bytes(request.getKey()),
                bytes(request.getValue()),
                request.getLease(),
                request.getPrevKv(),
                request.getIgnoreValue(),
                request.getIgnoreLease());
    }

    Op.Delete delete(DeleteRangeRequest request) {
        return new Op.Delete(span(request.getKey(), request.getRangeEnd()), request.getPrevKv());
    }

    /**
     * Translates a transaction.
     *
     * @throws BackendException if it is invalid
     */
    public Txn txn(TxnRequest request) {
        return txn(request, txnOpsMax);
    }

    WatchRequest watch(WatchCreateRequest request) {
        Bytes key = request.getKey().isEmpty() ? LEAST_KEY : bytes(request.getKey());
        List<FilterType> filters = request.getFiltersList();
        return new WatchRequest(
                request.getWatchId(),
                KeySpan.of(key, bytes(request.getRangeEnd())),
                request.getStartRevision(),
                request.getPrevKv(),
                request.getProgressNotify(),
                request.getFragment(),
                filters.contains(FilterType.NOPUT),
                filters.contains(FilterType.NODELETE));
    }

    static Bytes bytes(ByteString bytes) {
        return Bytes.wrap(bytes.toByteArray());
    }

    /** Nested transactions of a branch share what the outer one leaves of the limit. */
    private Txn txn(TxnRequest request, int opsMax) {
        int ops =
                Math.max(
                        request.getCompareCount(),
                        Math.max(request.getSuccessCount(), request.getFailureCount()));
        if (ops > opsMax) {
            throw new BackendException(ErrorKind.TOO_MANY_OPS);
        }
        List<Compare> compares = new ArrayList<>(request.getCompareCount());
        for (io.brain.proto.etcd.Compare compare : request.getCompareList()) {
            compares.add(compare(compare));
        }
        List<Op> success = ops(request.getSuccessList(), opsMax - ops);
        return new Txn(compares, success, ops(request.getFailureList(), opsMax - ops));
    }

    private List<Op> ops(List<RequestOp> requests, int nestedOpsMax) {
        List<Op> ops = new ArrayList<>(requests.size());
        for (RequestOp request : requests) {
            ops.add(
                    switch (request.getRequestCase()) {
                        case REQUEST_RANGE -> new Op.Range(range(request.getRequestRange()));
                        case REQUEST_PUT -> put(request.getRequestPut());
                        case REQUEST_DELETE_RANGE -> delete(request.getRequestDeleteRange());
                        case REQUEST_TXN ->
                                new Op.Nested(txn(request.getRequestTxn(), nestedOpsMax));
                        case REQUEST_NOT_SET -> throw new BackendException(ErrorKind.KEY_NOT_FOUND);
                    });
        }
        return ops;
    }

    private static Compare compare(io.brain.proto.etcd.Compare request) {
        KeySpan span = span(request.getKey(), request.getRangeEnd());
        Compare.Target target =
                switch (request.getTarget()) {
                    case VERSION -> Compare.Target.VERSION;
                    case CREATE -> Compare.Target.CREATE;
                    case MOD -> Compare.Target.MOD;
                    case VALUE -> Compare.Target.VALUE;
                    case LEASE -> Compare.Target.LEASE;
                    case UNRECOGNIZED -> Compare.Target.UNKNOWN;
                };
        Compare.Relation relation =
                switch (request.getResult()) {
                    case EQUAL -> Compare.Relation.EQUAL;
                    case GREATER -> Compare.Relation.GREATER;
                    case LESS -> Compare.Relation.LESS;
                    case NOT_EQUAL -> Compare.Relation.NOT_EQUAL;
                    case UNRECOGNIZED -> Compare.Relation.UNKNOWN;
                };
        return new Compare(span, target, relation, operand(request), bytes(request.getValue()));
    }

    /** The operand; 0 if it is not of the target's type. */
    private static long operand(io.brain.proto.etcd.Compare request) {
        return switch (request.getTarget()) {
            case VERSION -> request.getVersion();
            case CREATE -> request.getCreateRevision();
            case MOD -> request.getModRevision();
            case LEASE -> request.getLease();
            case VALUE, UNRECOGNIZED -> 0;
        };
    }

    private static SortOrder sortOrder(RangeRequest request) {
        return switch (request.getSortOrder()) {
            case NONE -> SortOrder.NONE;
            case ASCEND -> SortOrder.ASCEND;
            case DESCEND -> SortOrder.DESCEND;
            case UNRECOGNIZED -> throw new BackendException(ErrorKind.INVALID_SORT_OPTION);
        };
    }

    private static SortTarget sortTarget(RangeRequest request) {
        return switch (request.getSortTarget()) {
            case KEY -> SortTarget.KEY;
            case VERSION -> SortTarget.VERSION;
            case CREATE -> SortTarget.CREATE;
            case MOD -> SortTarget.MOD;
            case VALUE -> SortTarget.VALUE;
            case UNRECOGNIZED -> throw new BackendException(ErrorKind.INVALID_SORT_OPTION);
        };
    }

    private static RevisionFilter filter(RangeRequest request) {
        RevisionFilter filter =
                new RevisionFilter(
                        request.getMinModRevision(),
                        request.getMaxModRevision(),
                        request.getMinCreateRevision(),
                        request.getMaxCreateRevision());
        return filter.isBounded() ? filter : RevisionFilter.NONE;
    }

    private static KeySpan span(ByteString key, ByteString rangeEnd) {
        requireKey(key);
        return KeySpan.of(bytes(key), bytes(rangeEnd));
    }

    private static void requireKey(ByteString key) {
        if (key.isEmpty()) {
            throw new BackendException(ErrorKind.KEY_NOT_PROVIDED);
        }
    }
}
