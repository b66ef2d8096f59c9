package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import io.brain.backend.Backend;
import io.brain.backend.auth.Permission;
import io.brain.backend.auth.Role;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.OpResult;
import io.brain.backend.wire.PackedKvs;
import io.brain.proto.etcd.AuthRoleGetResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.stored.DeleteRangeResponse;
import io.brain.proto.stored.PutResponse;
import io.brain.proto.stored.RangeResponse;
import io.brain.proto.stored.ResponseOp;
import io.brain.proto.stored.TxnResponse;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;
import java.util.List;

/** Builds responses. Stored bytes are neither copied nor decoded. */
public final class Responses {
    private final Backend backend;
    private final long clusterId;
    private final long memberId;

    Responses(Backend backend) {
        this.backend = backend;
        NodeStatus status = backend.status();
        this.clusterId = status.clusterId();
        this.memberId = status.memberId();
    }

    long memberId() {
        return memberId;
    }

    /** A header with the newest revision. */
    ResponseHeader header() {
        return header(backend.status().revision());
    }

    /** A header with {@code revision}; 0 if etcd's has none. */
    ResponseHeader header(long revision) {
        return ResponseHeader.newBuilder()
                .setClusterId(clusterId)
                .setMemberId(memberId)
                .setRevision(revision)
                .setRaftTerm(backend.status().epoch())
                .build();
    }

    EncodedRangeResponse range(OpResult.Range result) {
        ResponseHeader header = header(result.revision());
        if (!(result.kvs() instanceof PackedKvs packed)) {
            return EncodedRangeResponse.of(range(result, header));
        }
        return EncodedRangeResponse.of(
                RangeResponse.newBuilder().setHeader(header).build(),
                packed,
                RangeResponse.newBuilder().setMore(result.more()).setCount(result.count()).build());
    }

    /** A response with nothing but KeyValues. */
    static RangeResponse.Builder chunk(List<Bytes> kvs) {
        RangeResponse.Builder response = RangeResponse.newBuilder();
        PackedKvs.forEachKv(
                kvs,
                (array, from, length) -> response.addKvs(ByteStrings.wrap(array, from, length)));
        return response;
    }

    /** The response to a transaction with one put. */
    PutResponse put(OpResult.Txn result) {
        OpResult.Put put = (OpResult.Put) result.results().get(0);
        return put(put, header(put.revision()));
    }

    /** The response to a transaction with one delete. */
    DeleteRangeResponse delete(OpResult.Txn result) {
        OpResult.Delete delete = (OpResult.Delete) result.results().get(0);
        return delete(delete, header(delete.revision()));
    }

    TxnResponse txn(OpResult.Txn result) {
        return txn(result, header(result.revision()), ResponseHeader.getDefaultInstance());
    }

    /**
     * The response with nothing but a revision in each header, as a leader sends it to followers.
     */
    public static TxnResponse forFollower(OpResult.Txn result) {
        return txn(result, header(result), null);
    }

    private static RangeResponse range(OpResult.Range result, ResponseHeader header) {
        return chunk(result.kvs())
                .setHeader(header)
                .setMore(result.more())
                .setCount(result.count())
                .build();
    }

    private static PutResponse put(OpResult.Put result, ResponseHeader header) {
        PutResponse.Builder response = PutResponse.newBuilder().setHeader(header);
        if (result.prevKv() != null) {
            response.setPrevKv(ByteStrings.wrap(result.prevKv()));
        }
        return response.build();
    }

    private static DeleteRangeResponse delete(OpResult.Delete result, ResponseHeader header) {
        DeleteRangeResponse.Builder response =
                DeleteRangeResponse.newBuilder().setHeader(header).setDeleted(result.deleted());
        PackedKvs.forEachKv(
                result.prevKvs(),
                (array, from, length) ->
                        response.addPrevKvs(ByteStrings.wrap(array, from, length)));
        return response.build();
    }

    /**
     * Builds the response to a transaction.
     *
     * @param nested header of nested transactions; null: their revision
     */
    private static TxnResponse txn(
            OpResult.Txn result, ResponseHeader header, ResponseHeader nested) {
        TxnResponse.Builder response =
                TxnResponse.newBuilder().setHeader(header).setSucceeded(result.succeeded());
        for (OpResult step : result.results()) {
            response.addResponses(op(step, nested));
        }
        return response.build();
    }

    private static ResponseOp op(OpResult result, ResponseHeader nested) {
        ResponseHeader header = header(result);
        ResponseOp.Builder op = ResponseOp.newBuilder();
        if (result instanceof OpResult.Range range) {
            op.setResponseRange(range(range, header));
        } else if (result instanceof OpResult.Put put) {
            op.setResponsePut(put(put, header));
        } else if (result instanceof OpResult.Delete delete) {
            op.setResponseDeleteRange(delete(delete, header));
        } else if (result instanceof OpResult.Txn txn) {
            op.setResponseTxn(txn(txn, nested == null ? header : nested, nested));
        }
        return op.build();
    }

    /** A header with nothing but the revision, as in the responses of operations. */
    private static ResponseHeader header(OpResult result) {
        return ResponseHeader.newBuilder().setRevision(result.revision()).build();
    }

    /** A role with its permissions, and the newest revision. */
    AuthRoleGetResponse role(Role role) {
        AuthRoleGetResponse.Builder response = AuthRoleGetResponse.newBuilder().setHeader(header());
        for (Permission permission : role.shown()) {
            response.addPermBuilder()
                    .setPermTypeValue(permission.type())
                    .setKey(ByteString.copyFrom(permission.key().array()))
                    .setRangeEnd(ByteString.copyFrom(permission.end().array()));
        }
        return response.build();
    }
}
