package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.wire.KeySpace;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Lists of overlapping ranges with random start and length, during puts to the same keys. */
record OverlapShape(int clients) implements Shape {

    private static final int OBJECTS = 5_000;
    private static final int LENGTH_MIN = 100;
    private static final int LENGTH_MAX = 500;

    @Override
    public String kind() {
        return "overlap";
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
    public String unit() {
        return "list";
    }

    @Override
    public String label() {
        return Shape.super.label() + ", " + clients + " clients";
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace keys = target.keys("overlapped", 1);
        Objects all = target.objects(keys, OBJECTS, target.settings().valueBytes());
        SplittableRandom random = new SplittableRandom(clients);
        Supplier<Script> lists =
                () -> ListScripts.parts(all, LENGTH_MIN, LENGTH_MAX, random.split());
        return BackgroundPuts.measure(target, target.clients(clients, lists), all);
    }
}
