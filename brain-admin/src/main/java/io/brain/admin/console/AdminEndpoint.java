package io.brain.admin.console;

import com.google.gson.JsonObject;
import java.util.concurrent.CompletableFuture;

/** Answers queries about one subject. Thread-safe; does not block. */
@FunctionalInterface
public interface AdminEndpoint {
    /**
     * Answers a query; the answer may be cached.
     *
     * @throws Query.InvalidException if the query is malformed
     */
    CompletableFuture<JsonObject> answer(Query query);
}
