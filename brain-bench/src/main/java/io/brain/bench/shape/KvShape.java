package io.brain.bench.shape;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Script;
import io.brain.bench.wire.GuardedTemplate;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Load on single objects.
 *
 * @param clients number of concurrent operations
 * @param readShare share of reads in the mixed load
 */
record KvShape(Kind of, int clients, double readShare) implements Shape {

    private static final int OBJECTS = 10_000;
    private static final int NAMESPACES = 100;
    private static final int NUMBERS_PER_STRETCH = 2_000_000;
    private static final int DELETES_PER_SECOND_MAX = 25_000;
    private static final int DELETES_MAX = 250_000;

    enum Kind {
        PUT,
        CREATE,
        UPDATE,
        DELETE,
        MIXED,
        GET,
        LEASE
    }

    @Override
    public String kind() {
        return of == Kind.LEASE ? "lease cycle" : of.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String axis() {
        return clients == 1 ? "client" : "clients";
    }

    @Override
    public long size() {
        return clients;
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        return target.stretch().run(target.clients(clients, scripts(target)));
    }

    private Supplier<Script> scripts(Target target) throws IOException, InterruptedException {
        byte[] value = Requests.value(target.settings().valueBytes());
        SplittableRandom random = new SplittableRandom(clients);
        return switch (of) {
            case CREATE -> {
                KeySpace keys = target.keys("pods", NAMESPACES);
                GuardedTemplate create = Requests.create(keys, value);
                KvScripts.Numbers numbers = numbers(target);
                yield () -> KvScripts.create(numbers, create);
            }
            case DELETE -> deletes(target, target.keys("events", NAMESPACES), value.length);
            case LEASE -> {
                KvScripts.Numbers numbers = numbers(target);
                yield () -> KvScripts.lease(target.keys("leases", NAMESPACES), numbers);
            }
            case PUT -> {
                Objects objects = objects(target, "configmaps");
                Template put = Requests.put(objects.keys(), value);
                yield () -> KvScripts.put(objects, put, random.split());
            }
            case GET -> gets(target, random);
            case UPDATE -> updates(target, value);
            case MIXED -> {
                Supplier<Script> gets = gets(target, random);
                Supplier<Script> updates = updates(target, value);
                yield () -> KvScripts.mixed(gets.get(), updates.get(), readShare, random.split());
            }
        };
    }

    private Supplier<Script> gets(Target target, SplittableRandom random)
            throws IOException, InterruptedException {
        Objects objects = objects(target, "services");
        Template get = Requests.get(objects.keys());
        return () -> KvScripts.get(objects, get, random.split());
    }

    private Supplier<Script> updates(Target target, byte[] value)
            throws IOException, InterruptedException {
        Objects objects = objects(target, "services");
        GuardedTemplate update = Requests.update(objects.keys(), value);
        AtomicInteger next = new AtomicInteger();
        return () -> KvScripts.update(objects, update, next.getAndIncrement(), clients);
    }

    /** Writes as many objects as a fast server can delete in a stretch. */
    private static Supplier<Script> deletes(Target target, KeySpace keys, int valueBytes)
            throws IOException, InterruptedException {
        Settings settings = target.settings();
        double seconds = settings.warmUp().plus(settings.measured()).toMillis() / 1e3;
        int count = (int) Math.min(DELETES_MAX, DELETES_PER_SECOND_MAX * seconds);
        Objects objects = new Objects(keys, target.takeNumbers(count), new long[count]);
        target.fill(objects, valueBytes, 1);
        GuardedTemplate delete = Requests.delete(keys);
        KvScripts.Numbers indexes = new KvScripts.Numbers(0, count);
        return () -> KvScripts.delete(objects, delete, indexes);
    }

    private static Objects objects(Target target, String kind)
            throws IOException, InterruptedException {
        return target.objects(
                target.keys(kind, NAMESPACES), OBJECTS, target.settings().valueBytes());
    }

    /** More numbers than a server can use in a stretch. */
    static KvScripts.Numbers numbers(Target target) {
        long first = target.takeNumbers(NUMBERS_PER_STRETCH);
        return new KvScripts.Numbers(first, first + NUMBERS_PER_STRETCH);
    }
}
