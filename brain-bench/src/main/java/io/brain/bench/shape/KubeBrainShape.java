package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.wire.GuardedTemplate;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.util.function.Supplier;

/** The load of KubeBrain's published figures: keys of 70 bytes, values of 512 bytes. */
record KubeBrainShape(Kind of, int clients) implements Shape {

    private static final int KEY_BYTES = 70;
    private static final int VALUE_BYTES = 512;
    private static final int NUMBERS_PER_STRETCH = 1_000_000;

    enum Kind {
        INSERT("insert"),
        INSERT_READ("insert + read"),
        DELETE("delete");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    @Override
    public String kind() {
        return "KubeBrain " + of.words;
    }

    @Override
    public String axis() {
        return "clients";
    }

    @Override
    public long size() {
        return clients;
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace keys = keys(target);
        byte[] value = Requests.value(VALUE_BYTES);
        return target.stretch()
                .run(
                        target.clients(
                                clients,
                                of == Kind.DELETE
                                        ? KvShape.deletes(target, keys, VALUE_BYTES)
                                        : inserts(target, keys, value)));
    }

    private Supplier<Script> inserts(Target target, KeySpace keys, byte[] value) {
        GuardedTemplate create = Requests.create(keys, value);
        Template get = of == Kind.INSERT_READ ? Requests.get(keys) : null;
        long first = target.takeNumbers(NUMBERS_PER_STRETCH);
        KvScripts.Numbers numbers = new KvScripts.Numbers(first, first + NUMBERS_PER_STRETCH);
        return () -> KvScripts.create(numbers, create, get);
    }

    private static KeySpace keys(Target target) {
        KeySpace plain = target.keys("kubebrain", 1);
        String padding = "x".repeat(KEY_BYTES - plain.length() - 1);
        return new KeySpace(plain.prefix() + padding + '/', 1);
    }
}
