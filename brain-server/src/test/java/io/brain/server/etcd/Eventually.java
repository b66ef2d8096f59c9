package io.brain.server.etcd;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private Eventually() {}

    /** Returns once {@code condition} holds; fails if it does not for long. */
    public static void holds(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not so after " + PATIENCE);
            }
            Thread.sleep(5);
        }
    }
}
