package io.brain.admin.console;

import com.google.gson.JsonObject;
import java.util.concurrent.CompletableFuture;

/** Answers an administrator's queries about one subject. Thread-safe; must not block. */
@FunctionalInterface
public interface AdminEndpoint {
    /**
     * Answers a query; the answer may be cached.
     *
     * @throws BadQueryException if the query is malformed; the future may fail with it instead
     */
    CompletableFuture<JsonObject> answer(Query query);
}
