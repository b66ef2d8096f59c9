package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.stored.RangeStreamResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;

/** Serves RangeStream: a range's answer in chunks, the state pinned at the first. */
final class RangeStreamHandler
        implements ServerCallHandler<Inbound<RangeRequest>, RangeStreamResponse> {
    private final Backend backend;
    private final Headers headers;
    private final RequestTranslator translator;
    private final StallGuard stalls;
    private final int chunkBytes;

    /**
     * A handler.
     *
     * @param chunkBytes about as long as a chunk becomes
     */
    RangeStreamHandler(
            Backend backend,
            Headers headers,
            RequestTranslator translator,
            StallGuard stalls,
            int chunkBytes) {
        this.backend = backend;
        this.headers = headers;
        this.translator = translator;
        this.stalls = stalls;
        this.chunkBytes = chunkBytes;
    }

    @Override
    public ServerCall.Listener<Inbound<RangeRequest>> startCall(
            ServerCall<Inbound<RangeRequest>, RangeStreamResponse> call, Metadata md) {
        call.request(1);
        return new RangeStreamCall(call, this);
    }

    /** The query, or the reason why it cannot be streamed. */
    RangeQuery query(RangeRequest request) {
        RangeQuery query = translator.range(request);
        boolean inKeyOrder =
                query.sortOrder() == SortOrder.NONE
                        || (query.sortTarget() == SortTarget.KEY
                                && query.sortOrder() == SortOrder.ASCEND);
        if (!inKeyOrder) {
            throw unsupported("RangeStream does not support custom sort orders");
        }
        if (query.filter().isBounded()) {
            throw unsupported("RangeStream does not support revision filters");
        }
        return query;
    }

    Backend backend() {
        return backend;
    }

    Headers headers() {
        return headers;
    }

    StallGuard stalls() {
        return stalls;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    private static RuntimeException unsupported(String text) {
        return Status.UNIMPLEMENTED.withDescription(text).asRuntimeException();
    }
}
