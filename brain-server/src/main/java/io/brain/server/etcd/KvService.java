package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.proto.etcd.CompactionResponse;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.stored.DeleteRangeResponse;
import io.brain.proto.stored.PutResponse;
import io.brain.proto.stored.RangeResponse;
import io.brain.proto.stored.RangeStreamResponse;
import io.brain.proto.stored.TxnResponse;
import io.brain.server.auth.Callers;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.grpc.IncomingCall.Request;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.brain.server.grpc.StallGuard;
import io.brain.storage.Bytes;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;

/** etcdserverpb.KV. */
final class KvService {
    private final Backend backend;
    private final Responses responses;
    private final RequestTranslator translator;
    private final StallGuard stalls;
    private final int requestBytesMax;

    KvService(
            Backend backend,
            Responses responses,
            RequestTranslator translator,
            StallGuard stalls,
            int requestBytesMax) {
        this.backend = backend;
        this.responses = responses;
        this.translator = translator;
        this.stalls = stalls;
        this.requestBytesMax = requestBytesMax;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(
                        KVGrpc.getRangeMethod(),
                        EncodedRangeResponse.ENCODING,
                        request ->
                                backend.range(
                                        translator.range(request.message()), Callers.current()),
                        (Reply<OpResult.Range> reply) -> responses.range(reply.answer()))
                .unary(
                        KVGrpc.getPutMethod(),
                        Encoding.of(PutResponse.getDefaultInstance()),
                        this::put,
                        reply -> responses.put(reply.answer()))
                .unary(
                        KVGrpc.getDeleteRangeMethod(),
                        Encoding.of(DeleteRangeResponse.getDefaultInstance()),
                        this::delete,
                        reply -> responses.delete(reply.answer()))
                .unary(
                        KVGrpc.getTxnMethod(),
                        Encoding.of(TxnResponse.getDefaultInstance()),
                        this::txn,
                        reply -> responses.txn(reply.answer()))
                .unary(
                        KVGrpc.getCompactMethod(),
                        request ->
                                backend.submit(
                                        new Compact(request.getRevision(), request.getPhysical())
                                                .by(Callers.current())),
                        this::compacted)
                .calls(
                        KVGrpc.getRangeStreamMethod(),
                        Encoding.of(RangeStreamResponse.getDefaultInstance()),
                        RangeStreamCall::new)
                .build();
    }

    private CompletableFuture<Reply<OpResult.Txn>> put(Request<PutRequest> request) {
        return run(Txn.of(translator.put(request.message())), request);
    }

    private CompletableFuture<Reply<OpResult.Txn>> delete(Request<DeleteRangeRequest> request) {
        return run(Txn.of(translator.delete(request.message())), request);
    }

    private CompletableFuture<Reply<OpResult.Txn>> txn(Request<TxnRequest> request) {
        return run(translator.txn(request.message()), request);
    }

    private CompletableFuture<Reply<OpResult.Txn>> run(Txn txn, Request<?> request) {
        return backend.txn(txn, request.wireBytes(), Callers.current());
    }

    private CompactionResponse compacted(long revision) {
        return CompactionResponse.newBuilder().setHeader(responses.header(revision)).build();
    }

    /**
     * A RangeStream call: sends a range in chunks, read at the revision of the first one. A chunk
     * is read when the transport has taken the one before. Chunks start at 10 keys, and then double
     * or halve towards a length in bytes, as in etcd. Only the chunk that reaches the limit counts
     * the keys behind it: otherwise the first chunk would wait for a scan of the whole range.
     */
    private final class RangeStreamCall extends IncomingCall<RangeRequest, RangeStreamResponse> {
        private static final long FIRST_CHUNK_KEYS = 10;

        // Guarded by this: chunks arrive on other threads than transport events.
        private RangeQuery query;
        private Caller caller;
        private long limit;
        private long chunkKeys;
        private long sentKeys;
        private long headerRevision;
        private boolean reading = true;

        RangeStreamCall(ServerCall<Request<RangeRequest>, RangeStreamResponse> call) {
            super(call);
        }

        @Override
        protected synchronized void onRequest(Request<RangeRequest> request) {
            query = translator.range(request.message());
            requireStreamable(query);
            caller = Callers.current();
            limit = query.limit() == 0 ? Long.MAX_VALUE : query.limit();
            chunkKeys = Math.min(FIRST_CHUNK_KEYS, limit);
            read();
        }

        private static void requireStreamable(RangeQuery query) {
            boolean inKeyOrder =
                    query.sortOrder() == SortOrder.NONE
                            || (query.sortTarget() == SortTarget.KEY
                                    && query.sortOrder() == SortOrder.ASCEND);
            if (!inKeyOrder) {
                throw unimplemented("RangeStream does not support custom sort orders");
            }
            if (query.filter().isBounded()) {
                throw unimplemented("RangeStream does not support revision filters");
            }
        }

        private static RuntimeException unimplemented(String text) {
            return Status.UNIMPLEMENTED.withDescription(text).asRuntimeException();
        }

        private void read() {
            reading = true;
            boolean reachesLimit = sentKeys + chunkKeys == limit;
            await(
                    backend.range(
                            query.with(query.span(), query.revision(), chunkKeys, reachesLimit),
                            caller),
                    this::sendChunk);
        }

        private synchronized void sendChunk(Reply<OpResult.Range> reply) {
            OpResult.Range chunk = reply.answer();
            if (headerRevision == 0) {
                headerRevision = chunk.revision();
            }
            boolean last = !chunk.more() || sentKeys + chunk.kvs().size() == limit;
            RangeResponse.Builder response = Responses.chunk(chunk.kvs());
            if (last) {
                response.setHeader(responses.header(headerRevision))
                        .setMore(chunk.more())
                        .setCount(sentKeys + chunk.count());
            }
            RangeStreamResponse message =
                    RangeStreamResponse.newBuilder().setRangeResponse(response).build();
            int bytes = message.getSerializedSize();
            send(message, bytes, reply.held(), stalls);
            sentKeys += chunk.kvs().size();
            if (last) {
                complete();
            } else {
                advance(chunk, bytes);
                reading = false;
                onProgress();
            }
        }

        /** Moves the query behind the chunk. */
        private void advance(OpResult.Range chunk, int bytes) {
            Bytes lastKey = KeyValue.decode(chunk.kvs().get(chunk.kvs().size() - 1)).key();
            KeySpan rest = new KeySpan(lastKey.successor(), query.span().end(), false);
            long revision = query.revision() > 0 ? query.revision() : headerRevision;
            query = query.with(rest, revision, query.limit());
            if (bytes < requestBytesMax / 2) {
                chunkKeys *= 2;
            } else if (bytes > requestBytesMax * 2) {
                chunkKeys = Math.max(1, chunkKeys / 2);
            }
            chunkKeys = Math.min(chunkKeys, limit - sentKeys);
        }

        @Override
        protected synchronized void onProgress() {
            if (!reading && !isClosed() && isReady()) {
                release();
                read();
            }
        }
    }
}
