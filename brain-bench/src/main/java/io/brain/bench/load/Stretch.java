package io.brain.bench.load;

import io.brain.bench.wire.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a load on a server and measures its cost: a warm-up, then the measured time, without a
 * break.
 *
 * @param warmUp time before the measurement
 * @param measured maximum measured time; a load may end earlier
 */
public record Stretch(Loop loop, long serverPid, Duration warmUp, Duration measured) {

    private static final long POLL_MILLIS = 10;
    private static final Duration DRAIN_MAX = Duration.ofSeconds(60);

    private record Sample(long nanos, ProcessFigures server, ProcessFigures client) {}

    /**
     * Runs a load.
     *
     * @throws IOException if the server's process ended, or calls were not answered
     */
    public Measurement run(Workload load) throws IOException, InterruptedException {
        Sample before = loop.run(() -> start(load));
        try {
            if (!warmUp.isZero()) {
                await(load, warmUp);
                before = loop.run(() -> count(load.recorder()));
            }
            Sample counted = before;
            await(load, measured);
            return loop.run(
                    () -> {
                        load.recorder().end();
                        return measurement(load.recorder(), counted, sample());
                    });
        } finally {
            drain(load);
        }
    }

    /** Starts the load; without a warm-up its first operation is measured. */
    private Sample start(Workload load) throws IOException {
        Sample look = count(load.recorder());
        load.start();
        return look;
    }

    private Sample count(Recorder recorder) throws IOException {
        Sample look = sample();
        recorder.begin(look.nanos);
        return look;
    }

    private Sample sample() throws IOException {
        return new Sample(
                System.nanoTime(),
                ProcessFigures.of(serverPid),
                ProcessFigures.of(ProcessHandle.current().pid()));
    }

    private static Measurement measurement(Recorder recorder, Sample before, Sample after) {
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

    /** Waits for {@code time}, or until the load is done. */
    private void await(Workload load, Duration time) throws IOException, InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS)));
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
            Thread.sleep(POLL_MILLIS);
        }
    }
}
