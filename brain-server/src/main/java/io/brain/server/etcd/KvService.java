package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.CompactionResponse;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.stored.DeleteRangeResponse;
import io.brain.proto.stored.PutResponse;
import io.brain.proto.stored.RangeStreamResponse;
import io.brain.proto.stored.TxnResponse;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.CompletableFuture;

/** etcdserverpb.KV. */
final class KvService {
    private final Backend backend;
    private final RequestTranslator translator;
    private final Headers headers;
    private final Answers answers;
    private final StallGuard stalls;
    private final int requestBytesMax;

    KvService(
            Backend backend,
            Headers headers,
            RequestTranslator translator,
            StallGuard stalls,
            int requestBytesMax) {
        this.stalls = stalls;
        this.backend = backend;
        this.headers = headers;
        this.answers = new Answers(headers);
        this.translator = translator;
        this.requestBytesMax = requestBytesMax;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unaryAs(
                        KVGrpc.getRangeMethod(),
                        new AnswerForm<>(new RangeMarshaller(), RangeMessage::length),
                        this::range,
                        reply -> answers.range(reply.answer()))
                .unaryAs(
                        KVGrpc.getPutMethod(),
                        AnswerForm.of(PutResponse.getDefaultInstance()),
                        this::put,
                        reply -> answers.put(reply.answer()))
                .unaryAs(
                        KVGrpc.getDeleteRangeMethod(),
                        AnswerForm.of(DeleteRangeResponse.getDefaultInstance()),
                        this::delete,
                        reply -> answers.delete(reply.answer()))
                .unaryAs(
                        KVGrpc.getTxnMethod(),
                        AnswerForm.of(TxnResponse.getDefaultInstance()),
                        this::txn,
                        reply -> answers.txn(reply.answer()))
                .unary(KVGrpc.getCompactMethod(), this::compact, this::compacted)
                .streaming(
                        KVGrpc.getRangeStreamMethod(),
                        AnswerForm.of(RangeStreamResponse.getDefaultInstance()),
                        new RangeStreamHandler(
                                backend, headers, translator, stalls, requestBytesMax))
                .build();
    }

    private CompletableFuture<Reply<OpResult.Range>> range(RangeRequest request, int bytes) {
        return backend.range(translator.range(request));
    }

    private CompletableFuture<Reply<OpResult.Txn>> put(PutRequest request, int bytes) {
        return backend.txn(Txn.of(translator.put(request)), bytes);
    }

    private CompletableFuture<Reply<OpResult.Txn>> delete(DeleteRangeRequest request, int bytes) {
        return backend.txn(Txn.of(translator.delete(request)), bytes);
    }

    private CompletableFuture<Reply<OpResult.Txn>> txn(TxnRequest request, int bytes) {
        return backend.txn(translator.txn(request), bytes);
    }

    private CompletableFuture<Long> compact(CompactionRequest request, int bytes) {
        return backend.submit(new Compact(request.getRevision(), request.getPhysical()));
    }

    private CompactionResponse compacted(long revision) {
        return CompactionResponse.newBuilder().setHeader(headers.at(revision)).build();
    }
}
