package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.load.Stretch;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Reads of many objects of 1 KiB.
 *
 * @param objects number of objects; a list has {@code each} of them, pages and counts all, a read
 *     one
 * @param each keys in a list or page
 */
record ListShape(Kind of, int objects, int each, int clients) implements Shape {

    private static final int VALUE_BYTES = 1_024;
    private static final int KEYS_ONLY_LISTS = 10;
    private static final Duration KEYS_ONLY_MAX = Duration.ofMinutes(5);

    enum Kind {
        LIST,
        PAGES,
        COUNT,
        KEYS_ONLY,
        READ
    }

    @Override
    public String kind() {
        return switch (of) {
            case LIST -> "list";
            case PAGES -> "paged list of " + objects;
            case COUNT -> "count";
            case KEYS_ONLY -> "keys-only";
            case READ -> "read";
        };
    }

    @Override
    public String axis() {
        return of == Kind.PAGES ? "keys a page" : "keys";
    }

    @Override
    public long size() {
        return of == Kind.LIST || of == Kind.PAGES ? each : objects;
    }

    @Override
    public String unit() {
        return of == Kind.READ ? "op" : "list";
    }

    @Override
    public String label() {
        String load = Shape.super.label();
        return clients == 1 ? load : load + ", " + clients + " clients";
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace keys = target.keys("secrets-" + objects, 1);
        Objects all = target.objects(keys, objects, VALUE_BYTES);
        Supplier<Script> scripts =
                switch (of) {
                    case LIST -> () -> ListScripts.list(keys, each);
                    case PAGES -> () -> ListScripts.pages(keys, objects, each);
                    case COUNT -> () -> ListScripts.count(keys, objects);
                    case KEYS_ONLY -> () -> ListScripts.keysOnly(keys, objects, KEYS_ONLY_LISTS);
                    case READ -> {
                        Template get = Requests.get(keys);
                        SplittableRandom random = new SplittableRandom(clients);
                        yield () -> KvScripts.get(all, get, random.split());
                    }
                };
        Measurement lists = stretch(target).run(target.clients(clients, scripts));
        int listed = of == Kind.LIST || of == Kind.READ ? each : objects;
        return lists.with(Map.of("keys per second", lists.rate() * listed));
    }

    /**
     * A keys-only list of a million keys takes seconds, so a stretch consists of a fixed number of
     * complete lists.
     */
    private Stretch stretch(Target target) {
        return of == Kind.KEYS_ONLY
                ? target.stretch(Duration.ZERO, KEYS_ONLY_MAX)
                : target.stretch();
    }
}
