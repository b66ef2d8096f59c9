package io.brain.server.peer;

import com.google.protobuf.ByteString;
import io.brain.backend.model.OpResult;
import io.brain.proto.stored.DeleteRangeResponse;
import io.brain.proto.stored.PutResponse;
import io.brain.proto.stored.RangeResponse;
import io.brain.proto.stored.ResponseOp;
import io.brain.proto.stored.TxnResponse;
import io.brain.server.etcd.Responses;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/** Decodes transactions' results, which {@link Responses#forFollower} encodes. */
final class TxnResultDecoder {
    private TxnResultDecoder() {}

    /**
     * Decodes a result.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    static OpResult.Txn decode(TxnResponse response) {
        List<OpResult> results = new ArrayList<>(response.getResponsesCount());
        response.getResponsesList().forEach(op -> results.add(decode(op)));
        return new OpResult.Txn(
                response.getHeader().getRevision(), response.getSucceeded(), List.copyOf(results));
    }

    private static OpResult decode(ResponseOp op) {
        return switch (op.getResponseCase()) {
            case RESPONSE_RANGE -> {
                RangeResponse range = op.getResponseRange();
                yield new OpResult.Range(
                        range.getHeader().getRevision(),
                        unwrap(range.getKvsList()),
                        range.getMore(),
                        range.getCount());
            }
            case RESPONSE_PUT -> {
                PutResponse put = op.getResponsePut();
                yield new OpResult.Put(
                        put.getHeader().getRevision(),
                        put.hasPrevKv() ? ByteStrings.unwrap(put.getPrevKv()) : null);
            }
            case RESPONSE_DELETE_RANGE -> {
                DeleteRangeResponse delete = op.getResponseDeleteRange();
                yield new OpResult.Delete(
                        delete.getHeader().getRevision(),
                        delete.getDeleted(),
                        unwrap(delete.getPrevKvsList()));
            }
            case RESPONSE_TXN -> decode(op.getResponseTxn());
            case RESPONSE_NOT_SET -> throw new IllegalArgumentException("empty result");
        };
    }

    static List<Bytes> unwrap(List<ByteString> fields) {
        List<Bytes> all = new ArrayList<>(fields.size());
        fields.forEach(field -> all.add(ByteStrings.unwrap(field)));
        return all;
    }
}
