package io.brain.bench.shape;

import io.brain.bench.load.Clients;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Pace;
import io.brain.bench.load.Recorder;
import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.load.Workload;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A measured load during puts at a fixed rate on a separate connection. Their CPU is included in
 * the server's figure. Confined to the event loop.
 */
final class BackgroundPuts implements Workload {

    /** Many, so that a slow put does not delay the following ones. */
    private static final int CLIENTS = 64;

    private final Clients measured;
    private final Clients writers;
    private boolean stopped;
    private boolean failed;
    private long puts;

    private BackgroundPuts(Target target, Clients measured, Objects written) {
        this.measured = measured;
        Template put = Requests.put(written.keys(), Requests.value(target.settings().valueBytes()));
        SplittableRandom random = new SplittableRandom(CLIENTS);
        List<Script> scripts = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            scripts.add(counted(KvScripts.put(written, put, random.split())));
        }
        this.writers =
                new Clients(
                        target.loop(),
                        List.of(target.background()),
                        scripts,
                        new Pace(target.settings().backgroundRate()),
                        new Recorder(false));
    }

    /**
     * Runs a stretch of the configured length.
     *
     * @param written objects of the puts
     */
    static Measurement measure(Target target, Clients measured, Objects written)
            throws IOException, InterruptedException {
        if (target.settings().backgroundRate() == 0) {
            return target.stretch().run(measured);
        }
        BackgroundPuts load = new BackgroundPuts(target, measured, written);
        Measurement figures = target.stretch().run(load);
        return figures.with(Map.of("background puts per second", load.puts / figures.seconds()));
    }

    private Script counted(Script put) {
        return new Script() {
            @Override
            public Request begin() {
                return put.begin();
            }

            @Override
            public Request proceed(Answer answer) throws UnexpectedAnswerException {
                Request next = put.proceed(answer);
                puts += recorder().startedNanos() == 0 ? 0 : 1;
                return next;
            }
        };
    }

    @Override
    public void start() {
        measured.start();
        writers.start();
    }

    @Override
    public void stop() {
        stopped = true;
        measured.stop();
        writers.stop();
    }

    @Override
    public boolean isDone() {
        String failure = writers.recorder().firstFailure();
        if (failure != null && !failed) {
            failed = true;
            recorder().failed("background put: " + failure);
        }
        return measured.isDone() && (!stopped || writers.isDone());
    }

    @Override
    public Recorder recorder() {
        return measured.recorder();
    }
}
