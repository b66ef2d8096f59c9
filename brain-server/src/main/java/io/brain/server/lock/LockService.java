package io.brain.server.lock;

import io.brain.backend.Backend;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.lock.LockGrpc;
import io.brain.proto.lock.LockRequest;
import io.brain.proto.lock.LockResponse;
import io.brain.proto.lock.UnlockRequest;
import io.brain.proto.lock.UnlockResponse;
import io.brain.server.grpc.ByteStrings;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.lock.Acquisition.Owned;
import io.brain.storage.Bytes;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** v3lockpb.Lock. */
public final class LockService {
    private final Backend backend;
    private final LongFunction<ResponseHeader> headers;

    /**
     * Creates the service.
     *
     * @param headers makes the header with a revision
     */
    public LockService(Backend backend, LongFunction<ResponseHeader> headers) {
        this.backend = backend;
        this.headers = headers;
    }

    /** Adds the methods. */
    public ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(LockGrpc.getLockMethod(), this::lock)
                .unary(LockGrpc.getUnlockMethod(), this::unlock)
                .build();
    }

    private CompletableFuture<LockResponse> lock(LockRequest request) {
        RequestCalls calls = new RequestCalls(backend);
        return new Acquisition<>(
                        calls,
                        Contenders.of(request.getName()),
                        null,
                        owned ->
                                confirm(calls, owned)
                                        .thenApply(revision -> response(owned, revision)))
                .start(request.getLease());
    }

    /** The header's revision. The key is read again after a wait: its lease may have expired. */
    private static CompletableFuture<Long> confirm(RequestCalls calls, Owned owned) {
        if (!owned.waited()) {
            return CompletableFuture.completedFuture(owned.revision());
        }
        return calls.range(RangeQuery.of(KeySpan.of(owned.key().key())))
                .thenApply(
                        found -> {
                            if (found.kvs().isEmpty()) {
                                throw Errors.unknown("mutex: session is expired");
                            }
                            return found.revision();
                        });
    }

    private LockResponse response(Owned owned, long revision) {
        return LockResponse.newBuilder()
                .setHeader(headers.apply(revision))
                .setKey(ByteStrings.wrap(owned.key().key()))
                .build();
    }

    private CompletableFuture<UnlockResponse> unlock(UnlockRequest request) {
        if (request.getKey().isEmpty()) {
            throw Errors.keyNotProvided();
        }
        Bytes key = ByteStrings.unwrap(request.getKey());
        return new RequestCalls(backend)
                .txn(Txn.of(new Op.Delete(KeySpan.of(key), false)), key.length())
                .thenApply(
                        done ->
                                UnlockResponse.newBuilder()
                                        .setHeader(headers.apply(done.revision()))
                                        .build())
                .exceptionallyCompose(Errors::failed);
    }
}
