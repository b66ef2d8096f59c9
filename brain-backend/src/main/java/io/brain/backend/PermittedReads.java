package io.brain.backend;

import io.brain.backend.auth.AuthState;
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
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Reads that a caller may make: checked when the read begins, after its read point is known, and
 * refused if users, roles or permissions changed until the answer, as in etcd. Thread-safe.
 */
final class PermittedReads {
    private final Reads reads;
    private final PublishedAuth auth;

    PermittedReads(Reads reads, PublishedAuth auth) {
        this.reads = reads;
        this.auth = auth;
    }

    CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query, Caller caller) {
        Reader reader = new Reader(caller);
        Runnable check =
                () -> reader.check((state, verified) -> state.requireRead(verified, query.span()));
        return reader.answer(() -> reads.range(query, caller.tenant(), check));
    }

    CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes, Caller caller) {
        Reader reader = new Reader(caller);
        Runnable check =
                () ->
                        reader.check(
                                (state, verified) ->
                                        TxnPermissions.check(state, verified, txn, lease -> {}));
        return reader.answer(() -> reads.txn(txn, wireBytes, caller.tenant(), check));
    }

    /** The caller of one read. Used by one thread at a time. */
    private final class Reader {
        private volatile Caller caller;

        Reader(Caller caller) {
            this.caller = caller;
        }

        /**
         * Checks the caller, verified again if users, roles or permissions changed since: so only a
         * change while the read runs makes it fail, unless the token has a revision.
         */
        void check(BiConsumer<AuthState, Caller> permission) {
            if (caller.authRevision() != auth.current().revision()) {
                caller = caller.verifiedAgain();
            }
            // Not an earlier state: the caller's revision must not be newer than what permits it.
            permission.accept(auth.current(), caller);
        }

        boolean isOld() {
            long revision = caller.authRevision();
            return revision != 0 && revision != auth.current().revision();
        }

        /** The answer of a read that was checked. */
        <T> CompletableFuture<Reply<T>> answer(Supplier<CompletableFuture<Reply<T>>> read) {
            CompletableFuture<Reply<T>> answer;
            try {
                answer = read.get();
            } catch (BackendException refused) {
                return CompletableFuture.failedFuture(refused);
            }
            if (answer.isDone() && !isOld()) {
                return answer;
            }
            CompletableFuture<Reply<T>> result = new CompletableFuture<>();
            Futures.onEnd(
                    answer,
                    (reply, failure) -> {
                        if (failure != null) {
                            result.completeExceptionally(failure);
                        } else if (isOld()) {
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
    }
}
