package io.brain.server.lock;

import io.brain.backend.Backend;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.server.auth.Callers;
import io.brain.storage.Bytes;
import io.grpc.Context;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The calls to the backend for one request. Each begins in the request's gRPC context, whichever
 * thread continues the request: the context has the caller. Answers hold no reservation, as each is
 * one KeyValue. Thread-safe.
 */
final class RequestCalls {
    /** TTL in seconds of the lease for a request without one, as in etcd; nobody renews it. */
    private static final long SESSION_TTL = 60;

    private final Backend backend;

    /**
     * Not cancelled with the request: what it leaves must be removed, also by way of the leader.
     */
    private final Context context = Context.current().fork();

    /** For the request of the current context. */
    RequestCalls(Backend backend) {
        this.backend = backend;
    }

    /**
     * Runs a transaction.
     *
     * @param bytes of its keys and values
     */
    CompletableFuture<OpResult.Txn> txn(Txn txn, int bytes) {
        return begin(() -> backend.txn(txn, bytes, Callers.current()))
                .thenApply(RequestCalls::release);
    }

    /** Changes the value of a contender's key. */
    CompletableFuture<OpResult.Txn> proclaim(OwnedKey own, Bytes value, long lease) {
        return txn(own.put(value, lease), own.key().length() + value.length())
                .thenApply(
                        done -> {
                            if (!done.succeeded()) {
                                throw Errors.unknown("election: not leader");
                            }
                            return done;
                        });
    }

    CompletableFuture<OpResult.Range> range(RangeQuery query) {
        return begin(() -> backend.range(query, Callers.current()))
                .thenApply(RequestCalls::release);
    }

    /** The requested lease, unchecked; for 0 a new one. */
    CompletableFuture<Long> lease(long requested) {
        return requested == 0
                ? begin(this::grant).thenApply(GrantedLease::id)
                : CompletableFuture.completedFuture(requested);
    }

    private CompletableFuture<GrantedLease> grant() {
        Caller caller = Callers.current();
        backend.auth().requireCaller(caller);
        return backend.submit(new GrantLease(0, SESSION_TTL).by(caller));
    }

    CompletableFuture<Long> revoke(long lease) {
        return begin(() -> backend.submit(new RevokeLease(lease).by(Callers.current())));
    }

    /**
     * Opens a stream for a watcher of these keys.
     *
     * @throws BackendException if the caller may not read them
     */
    WatchStream watch(WatchSink sink, KeySpan span) {
        return inContext(
                () -> {
                    backend.auth().requireRead(Callers.current(), span);
                    return backend.watch(sink);
                });
    }

    private static <T> T release(Reply<T> reply) {
        reply.held().close();
        return reply.answer();
    }

    /** Begins a call; a refusal is a failure of the future. */
    private <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> call) {
        try {
            return inContext(call);
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private <T> T inContext(Supplier<T> call) {
        Context previous = context.attach();
        try {
            return call.get();
        } finally {
            context.detach(previous);
        }
    }
}
