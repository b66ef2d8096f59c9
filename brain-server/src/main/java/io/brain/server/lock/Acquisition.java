package io.brain.server.lock;

import io.brain.backend.model.Futures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A contender for a lock or an election: puts its key, then waits until no older key is left. One
 * step runs at a time.
 *
 * <p>If a step fails or the client goes away, the contender leaves: its key is deleted, and the
 * lease that was granted for it is revoked.
 *
 * @param <R> type of the response
 */
final class Acquisition<R> {
    private static final Logger LOG = LoggerFactory.getLogger(Acquisition.class);

    private final RequestCalls calls;
    private final Contenders contenders;
    private final Bytes value;
    private final Function<Owned, CompletableFuture<R>> conclusion;
    private final CompletableFuture<R> response = new CompletableFuture<>();

    /** The predecessor's deletion; null before the first wait. */
    private volatile CompletableFuture<Void> deletion;

    // Set by the steps, in order.
    private long lease;
    private boolean granted;
    private boolean created;
    private OwnedKey own;

    /**
     * A lock or an election that was won.
     *
     * @param revision of the transaction that put or found the key
     * @param waited true if there was an older key
     */
    record Owned(OwnedKey key, long lease, long revision, boolean waited) {}

    /**
     * Prepares a contender.
     *
     * @param value value of the key, which replaces one that the lease's key has; null: none
     * @param conclusion makes the response once the key is the oldest one
     */
    Acquisition(
            RequestCalls calls,
            Contenders contenders,
            Bytes value,
            Function<Owned, CompletableFuture<R>> conclusion) {
        this.calls = calls;
        this.contenders = contenders;
        this.value = value;
        this.conclusion = conclusion;
        Futures.onEnd(response, (done, failure) -> stopWaiting());
    }

    /**
     * Starts it; called once. Cancelling the future makes the contender leave.
     *
     * @param requested lease; 0: a new one
     */
    CompletableFuture<R> start(long requested) {
        granted = requested == 0;
        CompletableFuture<R> steps =
                calls.lease(requested).thenCompose(this::enter).thenCompose(conclusion);
        Futures.onEnd(steps, this::end);
        return response;
    }

    private CompletableFuture<Owned> enter(long id) {
        lease = id;
        if (response.isDone()) {
            throw new CancellationException();
        }
        Bytes key = contenders.key(id);
        Bytes initial = value == null ? Bytes.EMPTY : value;
        // The range is before the put: it finds the predecessor.
        Txn txn =
                new Txn(
                        List.of(OwnedKey.createdAt(key, 0)),
                        List.of(
                                new Op.Range(contenders.newest()),
                                new Op.Put(key, initial, id, false, false, false)),
                        List.of(new Op.Range(RangeQuery.of(KeySpan.of(key)))));
        return calls.txn(txn, key.length() + initial.length())
                .thenCompose(entered -> entered(key, entered));
    }

    private CompletableFuture<Owned> entered(Bytes key, OpResult.Txn txn) {
        OpResult.Range found = (OpResult.Range) txn.results().get(0);
        created = txn.succeeded();
        if (created) {
            own = new OwnedKey(key, txn.revision());
            return await(found).thenApply(waited -> owned(txn, waited));
        }
        KeyValue mine = KeyValue.decode(found.kvs().get(0));
        own = new OwnedKey(key, mine.createRevision());
        return announce(mine)
                .thenCompose(done -> awaitOlder())
                .thenApply(waited -> owned(txn, waited));
    }

    private Owned owned(OpResult.Txn txn, boolean waited) {
        return new Owned(own, lease, txn.revision(), waited);
    }

    /** Replaces the value of the key found. */
    private CompletableFuture<?> announce(KeyValue found) {
        if (value == null || value.equals(found.value())) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.proclaim(own, value, lease);
    }

    /** Waits until no older key is left; false if there was none. */
    private CompletableFuture<Boolean> awaitOlder() {
        return calls.range(contenders.newestBefore(own.createRevision())).thenCompose(this::await);
    }

    /**
     * Waits for the deletion of a key and all older ones; false if there was none.
     *
     * @param older at most one key
     */
    private CompletableFuture<Boolean> await(OpResult.Range older) {
        if (older.kvs().isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        Bytes predecessor = KeyValue.decode(older.kvs().get(0)).key();
        deletion = KeyDeletion.of(calls, predecessor, older.revision());
        if (response.isDone()) {
            stopWaiting();
        }
        return deletion.thenCompose(done -> awaitOlder()).thenApply(waited -> true);
    }

    private void stopWaiting() {
        CompletableFuture<Void> pending = deletion;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    private void end(R result, Throwable failure) {
        if (failure != null) {
            Futures.onEnd(
                    leave(), (left, ignored) -> response.completeExceptionally(Errors.of(failure)));
        } else if (!response.complete(result) && created) {
            // Nobody knows of the key. One that was found may be in use.
            var unused = leave();
        }
    }

    private CompletableFuture<?> leave() {
        CompletableFuture<?> left = CompletableFuture.completedFuture(null);
        if (granted && lease != 0) {
            left = calls.revoke(lease);
        } else if (own != null) {
            left = calls.txn(own.delete(), own.key().length());
        }
        Futures.onEnd(
                left,
                (done, failure) -> {
                    if (failure != null) {
                        LOG.debug("key of a contender stays until its lease expires", failure);
                    }
                });
        return left;
    }
}
