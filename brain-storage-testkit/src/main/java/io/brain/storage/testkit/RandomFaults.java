package io.brain.storage.testkit;

import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Faults drawn from a seeded generator: the same seed and the same order of commits give the same
 * faults.
 */
public final class RandomFaults implements Function<WriteBatch, Fault> {
    private static final int UNCERTAIN_SETTLES_MAX = 3;

    private final RandomGenerator random;
    private final double rate;
    private final Duration delayMax;
    private final List<Fault.Outcome> outcomes;

    /**
     * @param random used by one thread at a time
     * @param rate share of commits that fail, 0 to 1
     * @param delayMax maximum random delay of each request and response; zero for none
     * @param outcomes outcomes of failing commits, uniformly distributed; not empty
     */
    public RandomFaults(
            RandomGenerator random, double rate, Duration delayMax, List<Fault.Outcome> outcomes) {
        if (outcomes.isEmpty()) {
            throw new IllegalArgumentException("no outcomes");
        }
        this.random = random;
        this.rate = rate;
        this.delayMax = delayMax;
        this.outcomes = List.copyOf(outcomes);
    }

    @Override
    public Fault apply(WriteBatch batch) {
        boolean fails = random.nextDouble() < rate;
        Fault fault = fails ? Fault.of(outcomes.get(random.nextInt(outcomes.size()))) : Fault.NONE;
        return fault.delayed(delay(), delay()).resolvedAfter(random.nextInt(UNCERTAIN_SETTLES_MAX));
    }

    private Duration delay() {
        return delayMax.isZero()
                ? Duration.ZERO
                : Duration.ofNanos(random.nextLong(delayMax.toNanos() + 1));
    }
}
