package io.brain.bench.load;

import io.brain.bench.wire.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Puts load on a server for a while and looks at what it costs: a warm-up that does not count, then
 * the measured time, in one go.
 *
 * @param warmUp how long nothing counts
 * @param measured how long it counts, unless the load has nothing left before
 */
public record Stretch(Loop loop, long serverPid, Duration warmUp, Duration measured) {

    private static final long LOOK_MILLIS = 10;
    private static final Duration DRAIN_MAX = Duration.ofSeconds(60);

    private record Look(long nanos, ProcessFigures server, ProcessFigures client) {}

    /**
     * Runs the load to its end.
     *
     * @throws IOException if the server's process is gone, or leaves calls without an answer
     */
    public Measurement run(Workload load) throws IOException, InterruptedException {
        Look before = loop.run(() -> start(load));
        try {
            if (!warmUp.isZero()) {
                await(load, warmUp);
                before = loop.run(() -> count(load.recorder()));
            }
            Look counted = before;
            await(load, measured);
            return loop.run(
                    () -> {
                        load.recorder().end();
                        return measurement(load.recorder(), counted, look());
                    });
        } finally {
            drain(load);
        }
    }

    /** Starts the load; the first operation counts already if nothing warms up. */
    private Look start(Workload load) throws IOException {
        Look look = count(load.recorder());
        load.start();
        return look;
    }

    private Look count(Recorder recorder) throws IOException {
        Look look = look();
        recorder.begin(look.nanos);
        return look;
    }

    private Look look() throws IOException {
        return new Look(
                System.nanoTime(),
                ProcessFigures.of(serverPid),
                ProcessFigures.of(ProcessHandle.current().pid()));
    }

    private static Measurement measurement(Recorder recorder, Look before, Look after) {
        return new Measurement(
                recorder.units(),
                (after.nanos - before.nanos) / 1e9,
                recorder.latency(),
                Measurement.Usage.between(before.server, after.server),
                Measurement.Usage.between(before.client, after.client),
                new Measurement.Failures(recorder.failures(), recorder.firstFailure()),
                Map.of(),
                recorder.seconds());
    }

    /** Until the time is up, or there is nothing left to do. */
    private void await(Workload load, Duration time) throws IOException, InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)));
            if (loop.run(load::isDone)) {
                return;
            }
        }
    }

    private void drain(Workload load) throws IOException, InterruptedException {
        loop.run(
                () -> {
                    load.stop();
                    return null;
                });
        long end = System.nanoTime() + DRAIN_MAX.toNanos();
        while (!loop.run(load::isDone)) {
            if (System.nanoTime() > end) {
                throw new IOException("calls were not answered in " + DRAIN_MAX.toSeconds() + " s");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }
}
