package io.brain.server.console;

import com.google.gson.JsonObject;
import io.brain.backend.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks another fact only now and then, and once at a time, however many ask this one. */
final class Cached implements Fact {
    private final Fact fact;
    private final Clock clock;
    private final long nanosMax;
    private CompletableFuture<JsonObject> last;
    private long askedAt;

    /** Answers may be so old, counted from when they were asked for. */
    Cached(Fact fact, Duration ageMax, Clock clock) {
        this.fact = fact;
        this.clock = clock;
        this.nanosMax = ageMax.toNanos();
    }

    @Override
    public synchronized CompletableFuture<JsonObject> ask(Question question) {
        boolean old = last == null || clock.nanos() - askedAt > nanosMax;
        if (last == null || last.isCompletedExceptionally() || (old && last.isDone())) {
            askedAt = clock.nanos();
            last = fact.ask(Question.PLAIN);
        }
        return last;
    }
}
