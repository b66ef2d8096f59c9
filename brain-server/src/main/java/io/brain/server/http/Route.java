package io.brain.server.http;

import java.util.concurrent.CompletableFuture;

/** Answers requests for one path; must not block. */
@FunctionalInterface
interface Route {
    /** Answers a request; a failed future becomes status 500. */
    CompletableFuture<HttpAnswer> answer(Request request);
}
