package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/**
 * How long a healthy client's calls take, one after another, on a quiet server and beside a load:
 * what 99 of 100 calls of a second stay below, and of all seconds the median, as one second may
 * have a pause that the load did not cause. Not thread-safe.
 */
final class CallTimes {

    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final int PAUSE_MILLIS = 2;

    /**
     * The load's share of a machine with two cores, which clients and server have in common, also
     * with other programs. Who waits for what the load has the server do waits for seconds.
     */
    private static final Duration FLOOR = Duration.ofMillis(500);

    private final String name;
    private final Runnable call;
    private Duration quiet;
    private Duration beside;

    /**
     * @param name of the calls, such as "puts"
     * @param call makes one and waits for its answer
     */
    CallTimes(String name, Runnable call) {
        this.name = name;
        this.call = call;
    }

    /** Measures for some seconds, while nothing else asks the server for much. */
    void measureQuiet() throws InterruptedException {
        Duration unused = p99(until(WARM_UP));
        quiet = p99(until(QUIET));
    }

    /** Measures beside a load that has begun, until it is over. */
    void measureBeside(BooleanSupplier isOver) throws InterruptedException {
        beside = p99(isOver);
    }

    /** Measures beside a load that has begun, for this long. */
    void measureBeside(Duration time) throws InterruptedException {
        measureBeside(until(time));
    }

    /** Expects that the load, which both were measured for, at most doubles the time. */
    void expectServed() {
        Duration most = quiet.multipliedBy(2).plus(FLOOR);
        assertThat(beside).as("p99 of %s beside the load", name).isLessThanOrEqualTo(most);
    }

    /** Both times; empty if they were not measured. */
    @Override
    public String toString() {
        return beside == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; p99 of %s %.1f ms quiet, %.1f ms beside the load",
                        name,
                        quiet.toNanos() / 1e6,
                        beside.toNanos() / 1e6);
    }

    private static BooleanSupplier until(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        return () -> System.nanoTime() - end >= 0;
    }

    private Duration p99(BooleanSupplier isOver) throws InterruptedException {
        List<Long> seconds = new ArrayList<>();
        do {
            seconds.add(p99OfASecond());
        } while (!isOver.getAsBoolean());
        Collections.sort(seconds);
        return Duration.ofNanos(seconds.get(seconds.size() / 2));
    }

    private long p99OfASecond() throws InterruptedException {
        BooleanSupplier isOver = until(Duration.ofSeconds(1));
        List<Long> nanos = new ArrayList<>();
        do {
            long started = System.nanoTime();
            call.run();
            nanos.add(System.nanoTime() - started);
            Thread.sleep(PAUSE_MILLIS);
        } while (!isOver.getAsBoolean());
        Collections.sort(nanos);
        return nanos.get((nanos.size() * 99 + 99) / 100 - 1);
    }
}
