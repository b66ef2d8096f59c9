package io.brain.server.peer;

import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.Txn;
import io.brain.proto.etcd.Compare.CompareResult;
import io.brain.proto.etcd.Compare.CompareTarget;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortOrder;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.server.etcd.RequestTranslator;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;

/**
 * Messages of transactions, as in etcd's API, without loss for clients' transactions: their keys
 * are not empty, and their compares have a number or a value, not both.
 */
final class TxnCodec {
    /** A number that is no target and no relation in etcd. */
    private static final int UNKNOWN = 127;

    private static final Bytes FROM_KEY_ON = Bytes.wrap(new byte[1]);

    /** The follower has checked the number of operations. */
    private static final RequestTranslator TRANSLATOR = new RequestTranslator(Integer.MAX_VALUE);

    private TxnCodec() {}

    static Txn decode(TxnRequest request) {
        return TRANSLATOR.txn(request);
    }

    /** Encodes a transaction, without copying its bytes. */
    static TxnRequest encode(Txn txn) {
        TxnRequest.Builder request = TxnRequest.newBuilder();
        txn.compares().forEach(compare -> request.addCompare(compare(compare)));
        txn.success().forEach(op -> request.addSuccess(op(op)));
        txn.failure().forEach(op -> request.addFailure(op(op)));
        return request.build();
    }

    private static io.brain.proto.etcd.Compare compare(Compare compare) {
        io.brain.proto.etcd.Compare.Builder request =
                io.brain.proto.etcd.Compare.newBuilder()
                        .setKey(ByteStrings.wrap(compare.span().key()))
                        .setRangeEnd(ByteStrings.wrap(rangeEnd(compare.span())));
        switch (compare.relation()) {
            case EQUAL -> request.setResult(CompareResult.EQUAL);
            case GREATER -> request.setResult(CompareResult.GREATER);
            case LESS -> request.setResult(CompareResult.LESS);
            case NOT_EQUAL -> request.setResult(CompareResult.NOT_EQUAL);
            case UNKNOWN -> request.setResultValue(UNKNOWN);
        }
        switch (compare.target()) {
            case VERSION -> request.setTarget(CompareTarget.VERSION).setVersion(compare.number());
            case CREATE ->
                    request.setTarget(CompareTarget.CREATE).setCreateRevision(compare.number());
            case MOD -> request.setTarget(CompareTarget.MOD).setModRevision(compare.number());
            case VALUE -> request.setTarget(CompareTarget.VALUE);
            case LEASE -> request.setTarget(CompareTarget.LEASE).setLease(compare.number());
            case UNKNOWN -> request.setTargetValue(UNKNOWN);
        }
        if (!compare.value().isEmpty()) {
            request.setValue(ByteStrings.wrap(compare.value()));
        }
        return request.build();
    }

    private static RequestOp op(Op op) {
        RequestOp.Builder request = RequestOp.newBuilder();
        if (op instanceof Op.Range range) {
            return request.setRequestRange(range(range.query())).build();
        } else if (op instanceof Op.Put put) {
            return request.setRequestPut(put(put)).build();
        } else if (op instanceof Op.Delete delete) {
            return request.setRequestDeleteRange(delete(delete)).build();
        }
        return request.setRequestTxn(encode(((Op.Nested) op).txn())).build();
    }

    private static RangeRequest range(RangeQuery query) {
        RevisionFilter filter = query.filter();
        return RangeRequest.newBuilder()
                .setKey(ByteStrings.wrap(query.span().key()))
                .setRangeEnd(ByteStrings.wrap(rangeEnd(query.span())))
                .setLimit(query.limit())
                .setRevision(query.revision())
                .setSortOrder(SortOrder.valueOf(query.sortOrder().name()))
                .setSortTarget(SortTarget.valueOf(query.sortTarget().name()))
                .setKeysOnly(query.keysOnly())
                .setCountOnly(query.countOnly())
                .setSerializable(query.serializable())
                .setMinModRevision(filter.minMod())
                .setMaxModRevision(filter.maxMod())
                .setMinCreateRevision(filter.minCreate())
                .setMaxCreateRevision(filter.maxCreate())
                .build();
    }

    private static PutRequest put(Op.Put put) {
        return PutRequest.newBuilder()
                .setKey(ByteStrings.wrap(put.key()))
                .setValue(ByteStrings.wrap(put.value()))
                .setLease(put.lease())
                .setPrevKv(put.prevKv())
                .setIgnoreValue(put.ignoreValue())
                .setIgnoreLease(put.ignoreLease())
                .build();
    }

    private static DeleteRangeRequest delete(Op.Delete delete) {
        return DeleteRangeRequest.newBuilder()
                .setKey(ByteStrings.wrap(delete.span().key()))
                .setRangeEnd(ByteStrings.wrap(rangeEnd(delete.span())))
                .setPrevKv(delete.prevKv())
                .build();
    }

    /** The inverse of {@link KeySpan#of(Bytes, Bytes)}. */
    private static Bytes rangeEnd(KeySpan span) {
        if (span.single()) {
            return Bytes.EMPTY;
        }
        return span.end() == null ? FROM_KEY_ON : span.end();
    }
}
