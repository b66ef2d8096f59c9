package io.brain.bench.shape;

import io.brain.bench.load.Clients;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Pace;
import io.brain.bench.load.Recorder;
import io.brain.bench.load.Script;
import io.brain.bench.load.Workload;
import io.brain.bench.wire.KeySpace;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * A client with one list in flight, beside a client with {@code lists} of the same in flight on
 * another connection, whose CPU is included in the server's figure. A list finds the key that
 * changed last, so that the server reads much and sends little: it is the bottleneck, not the
 * client.
 */
record NeighbourShape(int lists) implements Shape {

    private static final int KEYS = 2_000;

    @Override
    public String kind() {
        return "list beside";
    }

    @Override
    public String axis() {
        return "lists in flight";
    }

    @Override
    public long size() {
        return lists;
    }

    @Override
    public String unit() {
        return "list";
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace keys = target.keys("neighbours", 1);
        target.objects(keys, KEYS, target.settings().valueBytes());
        List<Script> many =
                Stream.generate(() -> ListScripts.newest(keys, KEYS)).limit(lists).toList();
        Clients busy =
                new Clients(
                        target.loop(),
                        List.of(target.background()),
                        many,
                        Pace.CLOSED,
                        new Recorder(false));
        Clients one = target.clients(1, () -> ListScripts.newest(keys, KEYS));
        Measurement figures = target.stretch().run(new Both(one, busy));
        if (busy.recorder().failures() > 0) {
            throw new IOException("list beside: " + busy.recorder().firstFailure());
        }
        return figures;
    }

    /** Two loads at once, one of which is measured. */
    private record Both(Clients measured, Clients beside) implements Workload {
        @Override
        public void start() {
            beside.start();
            measured.start();
        }

        @Override
        public void stop() {
            measured.stop();
            beside.stop();
        }

        @Override
        public boolean isDone() {
            return measured.isDone() && beside.isDone();
        }

        @Override
        public Recorder recorder() {
            return measured.recorder();
        }
    }
}
