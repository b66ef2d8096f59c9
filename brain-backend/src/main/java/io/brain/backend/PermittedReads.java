package io.brain.backend;

import io.brain.backend.auth.Caller;
import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.auth.TxnPermissions;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.read.Reads;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Reads that a caller may make: checked once the read point is known, and refused if users, roles
 * or permissions changed until the answer, as in etcd. Thread-safe.
 */
final class PermittedReads {
    private final Reads reads;
    private final PublishedAuth auth;
    private final BooleanSupplier knowsAll;

    /**
     * Creates the checks.
     *
     * @param knowsAll true if no other node can have changed the authentication
     */
    PermittedReads(Reads reads, PublishedAuth auth, BooleanSupplier knowsAll) {
        this.reads = reads;
        this.auth = auth;
        this.knowsAll = knowsAll;
    }

    CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query, Caller caller) {
        if (isOpen(query.serializable())) {
            return reads.range(query, caller.tenant());
        }
        return checked(
                caller,
                () ->
                        reads.range(
                                query,
                                caller.tenant(),
                                () -> auth.current().requireRead(caller, query.span())));
    }

    CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes, Caller caller) {
        if (isOpen(false)) {
            return reads.txn(txn, wireBytes, caller.tenant());
        }
        Runnable check = () -> TxnPermissions.check(auth.current(), caller, txn, lease -> {});
        return checked(caller, () -> reads.txn(txn, wireBytes, caller.tenant(), check));
    }

    /**
     * True if nothing is checked. Other nodes than a sure leader know that only at the read point.
     */
    private boolean isOpen(boolean serializable) {
        return !auth.current().enabled() && (serializable || knowsAll.getAsBoolean());
    }

    private <T> CompletableFuture<Reply<T>> checked(
            Caller caller, Supplier<CompletableFuture<Reply<T>>> read) {
        CompletableFuture<Reply<T>> answer;
        try {
            answer = read.get();
        } catch (BackendException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        if (answer.isDone() && !isOld(caller)) {
            return answer;
        }
        CompletableFuture<Reply<T>> result = new CompletableFuture<>();
        Futures.onEnd(
                answer,
                (reply, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (isOld(caller)) {
                        Reply.discard(reply);
                        result.completeExceptionally(
                                new BackendException(ErrorKind.AUTH_OLD_REVISION));
                    } else if (!result.complete(reply)) {
                        Reply.discard(reply);
                    }
                });
        Futures.onEnd(result, (reply, failure) -> answer.cancel(false));
        return result;
    }

    private boolean isOld(Caller caller) {
        return caller.authRevision() != 0 && caller.authRevision() != auth.current().revision();
    }
}
