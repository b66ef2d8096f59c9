package io.brain.server;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads fulfil. */
public final class Eventually {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private Eventually() {}

    /** Returns when {@code condition} holds; fails after a minute. */
    public static void holds(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("condition does not hold after " + TIMEOUT);
            }
            Thread.sleep(5);
        }
    }
}
