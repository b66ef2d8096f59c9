package io.brain.bench.shape;

import io.brain.bench.load.Clients;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Pace;
import io.brain.bench.load.ProcessFigures;
import io.brain.bench.load.Recorder;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Idle watchers, each of its own prefix, during puts to other keys. Memory per watcher is
 * meaningful only on a server that has not had as many watchers before.
 */
record IdleShape(int watchers) implements Shape {

    private static final double PUTS_PER_SECOND = 500;
    private static final int CLIENTS = 64;
    private static final int SETTLE_MILLIS = 500;

    @Override
    public String kind() {
        return "put with idle watchers";
    }

    @Override
    public String axis() {
        return "watchers";
    }

    @Override
    public long size() {
        return watchers;
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace watched = target.keys("endpoints", 1);
        KeySpace written = target.keys("nodes", 1);
        long pid = target.server().pid();
        long before = ProcessFigures.of(pid).rssKib();
        try (Watchers idle = new Watchers(target, stamp -> {})) {
            idle.open(watchers, i -> Watchers.range(watched.key(i), watched.key(i + 1L)));
            Thread.sleep(SETTLE_MILLIS);
            ProcessFigures open = ProcessFigures.of(pid);
            long seconds = Math.max(1, target.settings().measured().toSeconds());
            Thread.sleep(1_000 * seconds);
            ProcessFigures quiet = ProcessFigures.of(pid);
            Objects objects = new Objects(written, 0, new long[1_000]);
            Template put = Requests.put(written, Requests.value(target.settings().valueBytes()));
            SplittableRandom random = new SplittableRandom(1);
            Clients writers =
                    target.clients(
                            CLIENTS,
                            () -> KvScripts.put(objects, put, random.split()),
                            new Pace(PUTS_PER_SECOND),
                            new Recorder(false));
            double perWatcher = (double) (open.rssKib() - before) / watchers;
            double whenQuiet = (double) (quiet.cpuMicros() - open.cpuMicros()) / seconds;
            Measurement figures = target.stretch().run(writers);
            idle.check();
            return figures.with(
                    Map.of(
                            "RSS KiB per watcher", perWatcher,
                            "CPU µs per quiet second", whenQuiet));
        }
    }
}
