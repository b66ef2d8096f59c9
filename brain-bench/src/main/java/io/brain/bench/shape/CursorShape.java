package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.wire.KeySpace;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * One client with the access pattern of a database cursor: the first key from a random one on, or
 * the last before it. Each direction is also measured separately.
 */
record CursorShape(Direction direction) implements Shape {

    private static final int OBJECTS = 5_000;

    enum Direction {
        BOTH("cursor"),
        ASCEND("cursor, ascend"),
        DESCEND("cursor, descend");

        private final String words;

        Direction(String words) {
            this.words = words;
        }
    }

    @Override
    public String kind() {
        return direction.words;
    }

    @Override
    public String axis() {
        return "keys";
    }

    @Override
    public long size() {
        return OBJECTS;
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace keys = target.keys("bucket", 1);
        Objects all = target.objects(keys, OBJECTS, target.settings().valueBytes());
        SplittableRandom random = new SplittableRandom(1);
        Supplier<Script> steps = () -> ListScripts.cursor(all, direction, random);
        Measurement figures = target.stretch().run(target.clients(1, steps));
        return figures.with(Map.of("p50 µs", figures.latency().p50()));
    }
}
