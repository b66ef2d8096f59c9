package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.backend.model.OpResult;
import io.brain.backend.wire.PackedKvs;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.stored.DeleteRangeResponse;
import io.brain.proto.stored.PutResponse;
import io.brain.proto.stored.RangeResponse;
import io.brain.proto.stored.ResponseOp;
import io.brain.proto.stored.TxnResponse;
import io.brain.storage.Bytes;
import java.util.List;

/** Makes etcd's answers of the backend's. Stored bytes are passed on, neither copied nor read. */
final class Answers {
    private final Headers headers;

    Answers(Headers headers) {
        this.headers = headers;
    }

    RangeMessage range(OpResult.Range result) {
        ResponseHeader header = headers.at(result.revision());
        if (!(result.kvs() instanceof PackedKvs packed)) {
            return RangeMessage.of(fill(result, header));
        }
        return RangeMessage.of(
                RangeResponse.newBuilder().setHeader(header).build(),
                packed,
                RangeResponse.newBuilder().setMore(result.more()).setCount(result.count()).build());
    }

    /** A piece of a range's answer: keys alone. */
    static RangeResponse.Builder chunk(List<Bytes> kvs) {
        RangeResponse.Builder answer = RangeResponse.newBuilder();
        PackedKvs.forEachKv(kvs, (array, from, length) -> answer.addKvs(wrap(array, from, length)));
        return answer;
    }

    /** The answer to a transaction of one step that is a put. */
    PutResponse put(OpResult.Txn result) {
        OpResult.Put put = (OpResult.Put) only(result);
        return fill(put, headers.at(put.revision()));
    }

    /** The answer to a transaction of one step that is a delete. */
    DeleteRangeResponse delete(OpResult.Txn result) {
        OpResult.Delete delete = (OpResult.Delete) only(result);
        return fill(delete, headers.at(delete.revision()));
    }

    TxnResponse txn(OpResult.Txn result) {
        return fill(result, headers.at(result.revision()));
    }

    /** The same bytes, not copied. */
    static ByteString wrap(Bytes bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes.array());
    }

    private static ByteString wrap(byte[] array, int from, int length) {
        return UnsafeByteOperations.unsafeWrap(array, from, length);
    }

    private static OpResult only(OpResult.Txn result) {
        return result.results().get(0);
    }

    private static RangeResponse fill(OpResult.Range result, ResponseHeader header) {
        return chunk(result.kvs())
                .setHeader(header)
                .setMore(result.more())
                .setCount(result.count())
                .build();
    }

    private static PutResponse fill(OpResult.Put result, ResponseHeader header) {
        PutResponse.Builder answer = PutResponse.newBuilder().setHeader(header);
        if (result.prevKv() != null) {
            answer.setPrevKv(wrap(result.prevKv()));
        }
        return answer.build();
    }

    private static DeleteRangeResponse fill(OpResult.Delete result, ResponseHeader header) {
        DeleteRangeResponse.Builder answer =
                DeleteRangeResponse.newBuilder().setHeader(header).setDeleted(result.deleted());
        PackedKvs.forEachKv(
                result.prevKvs(),
                (array, from, length) -> answer.addPrevKvs(wrap(array, from, length)));
        return answer.build();
    }

    private static TxnResponse fill(OpResult.Txn result, ResponseHeader header) {
        TxnResponse.Builder answer =
                TxnResponse.newBuilder().setHeader(header).setSucceeded(result.succeeded());
        for (OpResult step : result.results()) {
            answer.addResponses(step(step));
        }
        return answer.build();
    }

    /** A step's header carries its revision only; a nested transaction's not even that. */
    private static ResponseOp step(OpResult result) {
        ResponseHeader header = ResponseHeader.newBuilder().setRevision(result.revision()).build();
        ResponseOp.Builder op = ResponseOp.newBuilder();
        if (result instanceof OpResult.Range range) {
            return op.setResponseRange(fill(range, header)).build();
        } else if (result instanceof OpResult.Put put) {
            return op.setResponsePut(fill(put, header)).build();
        } else if (result instanceof OpResult.Delete delete) {
            return op.setResponseDeleteRange(fill(delete, header)).build();
        }
        OpResult.Txn txn = (OpResult.Txn) result;
        return op.setResponseTxn(fill(txn, ResponseHeader.getDefaultInstance())).build();
    }
}
