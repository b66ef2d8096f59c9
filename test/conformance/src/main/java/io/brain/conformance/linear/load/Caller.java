package io.brain.conformance.linear.load;

import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;

/** Sends requests as what they are: a transaction of one plain step goes as that call. */
final class Caller {

    private Caller() {}

    /** The same request; if it is a read, one that a node may answer without asking the others. */
    static TxnRequest stale(TxnRequest request) {
        if (request.getCompareCount() > 0 || !request.getSuccess(0).hasRequestRange()) {
            return request;
        }
        TxnRequest.Builder stale = request.toBuilder();
        stale.getSuccessBuilder(0).getRequestRangeBuilder().setSerializable(true);
        return stale.build();
    }

    /** The answer, as a transaction's. */
    static TxnResponse call(KVGrpc.KVBlockingStub kv, TxnRequest request) {
        boolean plain =
                request.getCompareCount() == 0
                        && request.getFailureCount() == 0
                        && request.getSuccessCount() == 1;
        if (!plain) {
            return kv.txn(request);
        }
        RequestOp step = request.getSuccess(0);
        ResponseOp.Builder part = ResponseOp.newBuilder();
        ResponseHeader header =
                switch (step.getRequestCase()) {
                    case REQUEST_PUT -> {
                        part.setResponsePut(kv.put(step.getRequestPut()));
                        yield part.getResponsePut().getHeader();
                    }
                    case REQUEST_RANGE -> {
                        part.setResponseRange(kv.range(step.getRequestRange()));
                        yield part.getResponseRange().getHeader();
                    }
                    case REQUEST_DELETE_RANGE -> {
                        part.setResponseDeleteRange(kv.deleteRange(step.getRequestDeleteRange()));
                        yield part.getResponseDeleteRange().getHeader();
                    }
                    case REQUEST_TXN, REQUEST_NOT_SET ->
                            throw new IllegalArgumentException("no such call");
                };
        return TxnResponse.newBuilder()
                .setHeader(header)
                .setSucceeded(true)
                .addResponses(part)
                .build();
    }
}
