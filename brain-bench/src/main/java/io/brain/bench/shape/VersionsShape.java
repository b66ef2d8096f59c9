package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Lists of a prefix whose keys have several versions, during other puts. With a limit, three times
 * as many keys follow those of the answer. Compacted versions are written again before each
 * stretch; to bound that, keys beyond the limit have at most eight.
 *
 * @param limited whether a limit ends the list
 * @param each keys in a list
 * @param versions versions of each listed key
 */
record VersionsShape(boolean limited, int each, int versions, int clients) implements Shape {

    private static final int KEYS_PER_LIMIT = 4;
    private static final int VERSIONS_BEYOND_MAX = 8;
    private static final int OTHER_KEYS = 1_000;

    @Override
    public String kind() {
        return (limited ? "list-limit of " : "list-all of ") + each;
    }

    @Override
    public String axis() {
        return versions == 1 ? "version" : "versions";
    }

    @Override
    public long size() {
        return versions;
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
        int valueBytes = target.settings().valueBytes();
        String kind = (limited ? "limited-" : "listed-") + each + '-' + versions;
        KeySpace keys = target.keys(kind, 1);
        int count = each;
        if (limited) {
            count = KEYS_PER_LIMIT * each;
            Objects beyond = new Objects(keys, each, new long[count - each]);
            var unused =
                    target.objects(beyond, valueBytes, Math.min(versions, VERSIONS_BEYOND_MAX));
        }
        var unused = target.objects(new Objects(keys, 0, new long[each]), valueBytes, versions);
        Objects others = target.objects(target.keys("background", 1), OTHER_KEYS, valueBytes);
        Range range =
                Range.of(Requests.range(keys.key(0), keys.end(), limited ? each : 0, 0), count);
        Supplier<Script> lists = () -> ListScripts.ranges(() -> range);
        Measurement figures =
                BackgroundPuts.measure(target, target.clients(clients, lists), others);
        return figures.with(Map.of("keys per second", figures.rate() * each));
    }
}
