package io.brain.conformance.history;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.compare.Names;
import io.brain.conformance.compare.Transcript;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.ServerPair;
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

    private static final int KILLED_EVERY = 10;
    private static final String AFTER_KILL = "  ! after both were killed and started again\n";

    private final ServerPair pair;
    private final Consumer<String> log;

    /**
     * @param log told every request with the first server's answer
     */
    public Histories(ServerPair pair, Consumer<String> log) {
        this.pair = pair;
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

    /**
     * Makes a history of this length up and plays it. After every tenth seed's, both servers are
     * killed, and what they have after a restart is compared, too.
     */
    public Result play(long seed, int length) throws Exception {
        long base = ready();
        boolean killed = seed % KILLED_EVERY == 0;
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
                difference = round.finish(killed);
            }
        }
        String report = difference.isEmpty() ? "" : report(seed, history, difference);
        return new Result(seed, history.size(), report);
    }

    private String report(long seed, List<Message> history, String difference) throws Exception {
        boolean killed = difference.startsWith(AFTER_KILL);
        pair.stop();
        List<Message> shortest =
                new Shrinker(
                                h -> !replay(h, killed).isEmpty(),
                                killed ? SHRINK_ATTEMPTS_MAX / 3 : SHRINK_ATTEMPTS_MAX)
                        .shrink(history);
        String shown = replay(shortest, killed);
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
    private String replay(List<Message> history, boolean killed) throws Exception {
        long base = ready();
        String difference = "";
        try (Round round = new Round(base)) {
            for (Message step : history) {
                difference = round.play(Revisions.moved(step, base - 1));
                if (!difference.isEmpty()) {
                    break;
                }
            }
            if (difference.isEmpty()) {
                difference = round.finish(killed);
            }
        }
        if (!difference.isEmpty()) {
            pair.stop();
        }
        return difference;
    }

    /** Brings both servers to the same empty state, compacted up to now; the revision they have. */
    private long ready() throws IOException, InterruptedException {
        if (!pair.readyAgain(List.of())) {
            pair.startFresh(List.of());
        }
        long base = compactAll(pair.leftWire(new Names()));
        long other = compactAll(pair.rightWire(new Names()));
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
        private final Names leftNames = new Names();
        private final Names rightNames = new Names();
        private Player left = new Player(pair.leftWire(leftNames));
        private Player right = new Player(pair.rightWire(rightNames));

        private Round(long base) {
            this.view = new View(base);
        }

        private String play(Message step) throws InterruptedException {
            return compare(
                    player -> player.play(step),
                    entry -> {
                        if (entry.value() instanceof Message answer) {
                            view.saw(step, answer);
                        }
                    });
        }

        private String finish(boolean killed) throws InterruptedException {
            String difference = look();
            if (!killed || !difference.isEmpty()) {
                return difference;
            }
            close();
            pair.killAndRestart();
            left = new Player(pair.leftWire(leftNames));
            right = new Player(pair.rightWire(rightNames));
            difference = look();
            return difference.isEmpty() ? "" : AFTER_KILL + difference;
        }

        private String look() throws InterruptedException {
            return compare(player -> player.finish(view.floor()), entry -> {});
        }

        private String compare(Action action, Consumer<Entry> onLeft) throws InterruptedException {
            Transcript[] sides = new Transcript[2];
            pair.both(
                    () -> {
                        sides[0] = action.on(left);
                        return true;
                    },
                    () -> {
                        sides[1] = action.on(right);
                        return true;
                    });
            for (Entry entry : sides[0].entries()) {
                log.accept("        " + entry);
                onLeft.accept(entry);
            }
            return Transcript.differences(pair.leftName(), sides[0], pair.rightName(), sides[1]);
        }

        @Override
        public void close() {
            left.close();
            right.close();
        }
    }

    private interface Action {
        Transcript on(Player player) throws InterruptedException;
    }
}
