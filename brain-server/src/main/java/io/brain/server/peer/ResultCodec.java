package io.brain.server.peer;

import com.google.protobuf.ByteString;
import io.brain.backend.model.OpResult;
import io.brain.backend.wire.PackedKvs;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.stored.DeleteRangeResponse;
import io.brain.proto.stored.PutResponse;
import io.brain.proto.stored.RangeResponse;
import io.brain.proto.stored.ResponseOp;
import io.brain.proto.stored.TxnResponse;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/** A transaction's answer as a message, and back: nothing is lost, stored bytes are not copied. */
final class ResultCodec {
    private ResultCodec() {}

    static TxnResponse encode(OpResult.Txn result) {
        TxnResponse.Builder answer =
                TxnResponse.newBuilder().setHeader(header(result)).setSucceeded(result.succeeded());
        for (OpResult step : result.results()) {
            answer.addResponses(step(step));
        }
        return answer.build();
    }

    private static ResponseOp step(OpResult result) {
        ResponseOp.Builder op = ResponseOp.newBuilder();
        if (result instanceof OpResult.Range range) {
            RangeResponse.Builder answer =
                    RangeResponse.newBuilder()
                            .setHeader(header(range))
                            .setMore(range.more())
                            .setCount(range.count());
            PackedKvs.forEachKv(
                    range.kvs(),
                    (array, from, length) -> answer.addKvs(StoredBytes.wrap(array, from, length)));
            return op.setResponseRange(answer).build();
        } else if (result instanceof OpResult.Put put) {
            PutResponse.Builder answer = PutResponse.newBuilder().setHeader(header(put));
            if (put.prevKv() != null) {
                answer.setPrevKv(StoredBytes.wrap(put.prevKv()));
            }
            return op.setResponsePut(answer).build();
        } else if (result instanceof OpResult.Delete delete) {
            DeleteRangeResponse.Builder answer =
                    DeleteRangeResponse.newBuilder()
                            .setHeader(header(delete))
                            .setDeleted(delete.deleted());
            PackedKvs.forEachKv(
                    delete.prevKvs(),
                    (array, from, length) ->
                            answer.addPrevKvs(StoredBytes.wrap(array, from, length)));
            return op.setResponseDeleteRange(answer).build();
        }
        return op.setResponseTxn(encode((OpResult.Txn) result)).build();
    }

    private static ResponseHeader header(OpResult result) {
        return ResponseHeader.newBuilder().setRevision(result.revision()).build();
    }

    /**
     * What {@link #encode} made a message of.
     *
     * @throws IllegalArgumentException if it was something else
     */
    static OpResult.Txn decode(TxnResponse answer) {
        List<OpResult> results = new ArrayList<>(answer.getResponsesCount());
        for (ResponseOp op : answer.getResponsesList()) {
            results.add(result(op));
        }
        return new OpResult.Txn(
                answer.getHeader().getRevision(), answer.getSucceeded(), List.copyOf(results));
    }

    private static OpResult result(ResponseOp op) {
        return switch (op.getResponseCase()) {
            case RESPONSE_RANGE -> {
                RangeResponse answer = op.getResponseRange();
                yield new OpResult.Range(
                        answer.getHeader().getRevision(),
                        all(answer.getKvsList()),
                        answer.getMore(),
                        answer.getCount());
            }
            case RESPONSE_PUT -> {
                PutResponse answer = op.getResponsePut();
                yield new OpResult.Put(
                        answer.getHeader().getRevision(),
                        answer.hasPrevKv() ? StoredBytes.take(answer.getPrevKv()) : null);
            }
            case RESPONSE_DELETE_RANGE -> {
                DeleteRangeResponse answer = op.getResponseDeleteRange();
                yield new OpResult.Delete(
                        answer.getHeader().getRevision(),
                        answer.getDeleted(),
                        all(answer.getPrevKvsList()));
            }
            case RESPONSE_TXN -> decode(op.getResponseTxn());
            case RESPONSE_NOT_SET -> throw new IllegalArgumentException("an answer to no step");
        };
    }

    static List<Bytes> all(List<ByteString> fields) {
        List<Bytes> all = new ArrayList<>(fields.size());
        for (ByteString field : fields) {
            all.add(StoredBytes.take(field));
        }
        return all;
    }
}
