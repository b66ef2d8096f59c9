package io.brain.admin.console;

import com.google.gson.JsonObject;
import io.brain.backend.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Caches the answer of another endpoint. At most one call of it runs at a time. */
final class CachedEndpoint implements AdminEndpoint {
    private final AdminEndpoint endpoint;
    private final Clock clock;
    private final long nanosMax;
    private CompletableFuture<JsonObject> last;
    private long calledAt;

    /** Caches answers of {@code endpoint} for {@code ageMax} from the time of the call. */
    CachedEndpoint(AdminEndpoint endpoint, Duration ageMax, Clock clock) {
        this.endpoint = endpoint;
        this.clock = clock;
        this.nanosMax = ageMax.toNanos();
    }

    @Override
    public synchronized CompletableFuture<JsonObject> answer(Query query) {
        boolean old = last == null || clock.nanos() - calledAt > nanosMax;
        if (last == null || last.isCompletedExceptionally() || (old && last.isDone())) {
            calledAt = clock.nanos();
            last = endpoint.answer(Query.EMPTY);
        }
        return last;
    }
}
