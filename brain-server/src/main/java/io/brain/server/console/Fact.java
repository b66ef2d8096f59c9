package io.brain.server.console;

import com.google.gson.JsonObject;
import java.util.concurrent.CompletableFuture;

/** Something to know of the server. Thread-safe; must not block. */
@FunctionalInterface
public interface Fact {
    /**
     * The fact as it is now, or was a little while ago.
     *
     * @throws BadQuestionException if it cannot be asked like that; the future may end with it, too
     */
    CompletableFuture<JsonObject> ask(Question question);
}
