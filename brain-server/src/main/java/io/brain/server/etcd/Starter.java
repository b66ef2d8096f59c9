package io.brain.server.etcd;

import java.util.concurrent.CompletableFuture;

/** Begins a request; must not block. Its future may end on any thread; cancelling it is a hint. */
@FunctionalInterface
interface Starter<Q, T> {
    /**
     * Begins.
     *
     * @param wireBytes the request's length as it came
     */
    CompletableFuture<T> start(Q request, int wireBytes);
}
