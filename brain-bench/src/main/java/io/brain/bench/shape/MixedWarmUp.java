package io.brain.bench.shape;

import static java.util.Collections.nCopies;

import io.brain.bench.load.Clients;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Pace;
import io.brain.bench.load.Recorder;
import io.brain.bench.load.Script;
import io.brain.bench.shape.CursorShape.Direction;
import io.brain.bench.wire.GuardedTemplate;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * All kinds of calls in closed loops: puts, gets, lists, cursor steps, creates and deletes, and
 * watchers of the puts. It runs before the rounds, so that the JIT compiler does not optimize for
 * the first load only.
 */
public record MixedWarmUp(Duration length) implements Shape {

    private static final int OBJECTS = 10_000;
    private static final int LENGTH_MAX = 500;
    private static final int WRITERS = 16; // of each kind; gets have as many
    private static final int LISTERS = 2; // of each kind, as lists cost most
    private static final int WATCHERS = 8;

    @Override
    public String kind() {
        return "mixed warm-up";
    }

    @Override
    public String axis() {
        return "s";
    }

    @Override
    public long size() {
        return length.toSeconds();
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        byte[] value = Requests.value(target.settings().valueBytes());
        KeySpace keys = target.keys("warm-up", 1);
        Objects objects = target.objects(keys, OBJECTS, value.length);
        List<Supplier<Script>> scripts = scripts(target, objects, value);
        Iterator<Supplier<Script>> next = scripts.iterator();
        Clients clients =
                target.clients(
                        scripts.size(), () -> next.next().get(), Pace.CLOSED, new Recorder(false));
        try (Watchers watchers = new Watchers(target, stamp -> {})) {
            watchers.open(WATCHERS, i -> Watchers.range(keys.key(0), keys.end()));
            Measurement figures = target.stretch(Duration.ZERO, length).run(clients);
            watchers.check();
            return figures;
        }
    }

    private static List<Supplier<Script>> scripts(Target target, Objects objects, byte[] value) {
        KeySpace jobs = target.keys("warm-up-jobs", 1);
        Template put = Requests.put(objects.keys(), value);
        Template get = Requests.get(objects.keys());
        GuardedTemplate create = Requests.create(jobs, value);
        GuardedTemplate delete = Requests.delete(jobs);
        KvScripts.Numbers numbers = KvShape.numbers(target);
        SplittableRandom random = new SplittableRandom(1);
        List<Supplier<Script>> all = new ArrayList<>();
        all.addAll(nCopies(WRITERS, () -> KvScripts.put(objects, put, random.split())));
        all.addAll(nCopies(WRITERS, () -> KvScripts.get(objects, get, random.split())));
        all.addAll(nCopies(WRITERS, () -> KvScripts.createAndDelete(numbers, create, delete)));
        all.addAll(
                nCopies(LISTERS, () -> ListScripts.parts(objects, 1, LENGTH_MAX, random.split())));
        all.addAll(
                nCopies(
                        LISTERS,
                        () -> ListScripts.cursor(objects, Direction.BOTH, random.split())));
        return all;
    }
}
