package io.brain.conformance.history;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.compare.Transcript;
import io.brain.conformance.script.Duel;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Wire;
import io.brain.proto.etcd.KVGrpc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Plays made-up histories to two servers in lock step. Used by one thread at a time. */
public final class Histories {

    /** Each attempt to shrink a history takes about a second. */
    private static final int SHRINK_ATTEMPTS_MAX = 150;

    private final Duel duel;
    private final Consumer<String> log;

    /**
     * @param log told every request with the first server's answer
     */
    public Histories(Duel duel, Consumer<String> log) {
        this.duel = duel;
        this.log = log;
    }

    /**
     * One history's end.
     *
     * @param operations how many requests were sent
     * @param report what differed, with the seed and the shortest history that shows it, or empty
     */
    public record Result(long seed, int operations, String report) {
        public boolean passed() {
            return report.isEmpty();
        }
    }

    /** Makes a history of this length up and plays it. */
    public Result play(long seed, int length) throws Exception {
        long base = ready();
        List<Message> history = new ArrayList<>();
        String difference;
        try (Round round = new Round(base)) {
            Generator generator = new Generator(new Random(seed), round.view);
            difference = "";
            while (difference.isEmpty() && history.size() < length) {
                Message step = generator.next();
                history.add(Revisions.moved(step, 1 - base));
                log.accept(shown(step));
                difference = round.play(step);
            }
            if (difference.isEmpty()) {
                difference = round.finish();
            }
        }
        String report = difference.isEmpty() ? "" : report(seed, history, difference);
        return new Result(seed, history.size(), report);
    }

    private String report(long seed, List<Message> history, String difference) throws Exception {
        List<Message> shortest =
                new Shrinker(h -> !replay(h).isEmpty(), SHRINK_ATTEMPTS_MAX).shrink(history);
        String shown = replay(shortest);
        StringBuilder text = new StringBuilder();
        text.append("seed ").append(seed).append(", ").append(history.size());
        text.append(" operations, cut down to ").append(shortest.size()).append(":\n");
        shortest.forEach(step -> text.append(shown(step)).append('\n'));
        text.append(shown.isEmpty() ? "  (not seen again) " + difference : shown);
        return text.toString();
    }

    private static String shown(Message step) {
        return "    " + step.getDescriptorForType().getName() + " { " + Entry.show(step) + "}";
    }

    /** Plays a recorded history; what differs, or empty. */
    private String replay(List<Message> history) throws Exception {
        long base = ready();
        try (Round round = new Round(base)) {
            for (Message step : history) {
                String difference = round.play(Revisions.moved(step, base - 1));
                if (!difference.isEmpty()) {
                    duel.stop();
                    return difference;
                }
            }
            String difference = round.finish();
            if (!difference.isEmpty()) {
                duel.stop();
            }
            return difference;
        }
    }

    /** Brings both servers to the same empty state, compacted up to now; the revision they have. */
    private long ready() throws IOException, InterruptedException {
        if (!duel.readyAgain(List.of())) {
            duel.startFresh(List.of());
        }
        long base = compactAll(duel.leftWire());
        long other = compactAll(duel.rightWire());
        if (base != other) {
            throw new IllegalStateException("empty, but at " + base + " and " + other);
        }
        return base;
    }

    private static long compactAll(Wire wire) {
        long revision =
                wire.call(KVGrpc.getRangeMethod(), Generator.EVERYTHING)
                        .get()
                        .getHeader()
                        .getRevision();
        wire.call(KVGrpc.getCompactMethod(), Requests.compact(revision).build());
        return revision;
    }

    /** One play of one history. */
    private final class Round implements AutoCloseable {

        private final View view;
        private final Player left = new Player(duel.leftWire());
        private final Player right = new Player(duel.rightWire());

        private Round(long base) {
            this.view = new View(base);
        }

        private String play(Message step) throws InterruptedException {
            Transcript[] sides = new Transcript[2];
            duel.both(
                    () -> {
                        sides[0] = left.play(step);
                        return true;
                    },
                    () -> {
                        sides[1] = right.play(step);
                        return true;
                    });
            for (Entry entry : sides[0].entries()) {
                log.accept("        " + entry);
                if (entry.value() instanceof Message answer) {
                    view.saw(step, answer);
                }
            }
            return differences(sides);
        }

        private String finish() throws InterruptedException {
            Transcript[] sides = new Transcript[2];
            duel.both(
                    () -> {
                        sides[0] = left.finish(view.floor());
                        return true;
                    },
                    () -> {
                        sides[1] = right.finish(view.floor());
                        return true;
                    });
            sides[0].entries().forEach(entry -> log.accept("        at the end " + entry));
            return differences(sides);
        }

        private String differences(Transcript[] sides) {
            return Transcript.differences(duel.leftName(), sides[0], duel.rightName(), sides[1]);
        }

        @Override
        public void close() {
            left.close();
            right.close();
        }
    }
}
