package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * First lists of many prefixes, as after a start. Each stretch writes new keys, has no warm-up, and
 * ends with the last prefix.
 *
 * @param keys keys per prefix
 */
record FirstListShape(int prefixes, int keys, int clients) implements Shape {

    private static final int VERSIONS = 8;
    private static final Duration STRETCH_MAX = Duration.ofMinutes(2);

    @Override
    public String kind() {
        return "first-list";
    }

    @Override
    public String axis() {
        return "prefixes of " + keys + " keys";
    }

    @Override
    public long size() {
        return prefixes;
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
        KeySpace space = target.keys("first-" + target.takeNumbers(1), prefixes);
        Objects objects = new Objects(space, 0, new long[prefixes * keys]);
        target.fill(objects, target.settings().valueBytes(), VERSIONS);
        KvScripts.Numbers namespaces = new KvScripts.Numbers(0, prefixes);
        Supplier<Script> lists = () -> ListScripts.ranges(() -> next(space, namespaces));
        return target.stretch(Duration.ZERO, STRETCH_MAX).run(target.clients(clients, lists));
    }

    private Range next(KeySpace space, KvScripts.Numbers namespaces) {
        int namespace = (int) namespaces.take();
        if (namespace < 0) {
            return null;
        }
        byte[] prefix = space.namespace(namespace);
        return Range.of(Requests.range(prefix, KeySpace.after(prefix), 0, 0), keys);
    }
}
