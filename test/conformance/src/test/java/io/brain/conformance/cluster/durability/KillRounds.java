package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Keys;
import io.brain.conformance.cluster.ServerCommand;
import io.brain.conformance.cluster.ServerHome;
import io.brain.conformance.cluster.ServerProcess;
import io.brain.conformance.cluster.durability.Violation.Kind;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Rounds of {@code kill -9}: writers at work, the server killed at a random moment, started again
 * (sometimes killed while it starts), and every write that was acknowledged looked for: in the
 * history as a watch from the past shows it, by reads at old revisions, and in what is there now.
 */
final class KillRounds {

    /**
     * @param rounds kills under load
     * @param loadMillisMax the longest time from the first write to the kill
     */
    record Settings(int rounds, int writers, int loadMillisMax, long seed) {}

    private static final int LOAD_MILLIS_MIN = 100;
    private static final int COMPACT_EVERY = 5;
    private static final int RECOVERY_KILL_PERCENT = 25;
    private static final int RECOVERY_KILL_MILLIS_MAX = 1_500;

    private final ServerCommand command;
    private final ServerHome home;
    private final Settings settings;
    private final Random random;
    private final NavigableMap<Long, List<Change>> wholeHistory = new TreeMap<>();
    private final List<Long> leases = new ArrayList<>();
    private HistoryCheck check = new HistoryCheck(1);
    private int rounds;
    private int recoveryKills;
    private long acknowledged;
    private long unanswered;
    private long pastReads;

    KillRounds(ServerCommand command, ServerHome home, Settings settings) {
        this.command = command;
        this.home = home;
        this.settings = settings;
        this.random = new Random(settings.seed());
    }

    /**
     * Runs all rounds on an empty home; stops early when something is wrong.
     *
     * @param progress is told the figures after every round
     */
    KillSummary run(Consumer<KillSummary> progress)
            throws IOException, InterruptedException, ExecutionException {
        ServerProcess server = ServerProcess.start(command, home);
        try {
            try (EtcdClient client = new EtcdClient(home.target())) {
                check = new HistoryCheck(client.revision());
            }
            while (rounds < settings.rounds() && check.violations().isEmpty()) {
                server = round(rounds + 1, server);
                rounds++;
                progress.accept(summary());
            }
            server.close();
            server = ServerProcess.start(command, home);
            checkWholeHistory();
        } finally {
            server.close();
        }
        return summary();
    }

    private KillSummary summary() {
        return new KillSummary(
                settings.seed(),
                rounds,
                recoveryKills,
                acknowledged,
                unanswered,
                check.landedUnknown(),
                check.checkedRevision(),
                pastReads,
                List.copyOf(check.violations()));
    }

    private ServerProcess round(int round, ServerProcess server)
            throws IOException, InterruptedException, ExecutionException {
        long floor = round % COMPACT_EVERY == 0 ? startCompaction() : 0;
        WriteLoad load =
                WriteLoad.start(
                        home.target(),
                        settings.writers(),
                        round,
                        check.checkedRevision() + 1,
                        random);
        int span = Math.max(1, settings.loadMillisMax() - LOAD_MILLIS_MIN);
        Thread.sleep(LOAD_MILLIS_MIN + random.nextInt(span));
        boolean endedEarly = load.hasEndedEarly();
        server.kill();
        load.join();
        if (endedEarly) {
            throw new IllegalStateException("a client ended before the kill: " + load.ends());
        }
        ServerProcess next = restart();
        try {
            verify(load, floor);
        } catch (IOException | InterruptedException | ExecutionException | RuntimeException e) {
            next.kill();
            throw e;
        }
        return next;
    }

    /** Starts the server again; now and then it is killed once more while it recovers. */
    private ServerProcess restart() throws IOException, InterruptedException {
        if (random.nextInt(100) < RECOVERY_KILL_PERCENT) {
            ServerProcess recovering = ServerProcess.launch(command, home);
            Thread.sleep(random.nextInt(RECOVERY_KILL_MILLIS_MAX));
            recovering.kill();
            recoveryKills++;
        }
        return ServerProcess.start(command, home);
    }

    private void verify(WriteLoad load, long floor)
            throws IOException, InterruptedException, ExecutionException {
        try (EtcdClient client = new EtcdClient(home.target())) {
            long first = check.checkedRevision() + 1;
            long newest = client.revision();
            NavigableMap<Long, List<Change>> history = HistoryReader.read(client, first, newest);
            check.check(load.attempts(), history, newest);
            check.checkSeen(load.seen(), history);
            wholeHistory.putAll(history);
            leases.addAll(load.grantedLeases());
            StoreReads reads = new StoreReads(client, check);
            reads.compareAll();
            reads.compareLeases(leases);
            reads.readAtTheirRevisions(load.attempts());
            pastReads += reads.reads();
            long answered = load.attempts().stream().filter(a -> a.answer().isPresent()).count();
            acknowledged += answered;
            unanswered += load.attempts().size() - answered;
            expectNextRevision(client, newest);
            expectFloor(client, floor);
        }
    }

    /** Revisions go on exactly where the history ends. */
    private void expectNextRevision(EtcdClient client, long newest) throws InterruptedException {
        Write.Put write = new Write.Put("probe", "probe-" + newest, 0);
        long revision =
                client.put(Keys.of(write.key()), Payload.of(write.token()))
                        .getHeader()
                        .getRevision();
        if (revision != newest + 1) {
            check.report(Kind.GAP, "after " + newest + " came " + revision);
            return;
        }
        NavigableMap<Long, List<Change>> history = HistoryReader.read(client, revision, revision);
        check.check(List.of(Attempt.acknowledged(write, revision)), history, revision);
        wholeHistory.putAll(history);
    }

    private long startCompaction() throws InterruptedException {
        long floor = check.checkedRevision();
        try (EtcdClient client = new EtcdClient(home.target())) {
            client.compact(floor);
        }
        wholeHistory.headMap(floor, false).clear();
        return floor;
    }

    /** A compaction that was acknowledged holds after the crash. */
    private void expectFloor(EtcdClient client, long floor) {
        if (floor == 0) {
            return;
        }
        try {
            client.compact(floor);
            check.report(Kind.READ, "the compaction at " + floor + " is forgotten");
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.OUT_OF_RANGE) {
                throw e;
            }
        }
    }

    /** After a clean stop and start, all that is not compacted is there as it was. */
    private void checkWholeHistory() throws InterruptedException {
        if (!check.violations().isEmpty() || wholeHistory.isEmpty()) {
            return;
        }
        try (EtcdClient client = new EtcdClient(home.target())) {
            long first = wholeHistory.firstKey();
            NavigableMap<Long, List<Change>> again =
                    HistoryReader.read(client, first, client.revision());
            if (!again.equals(wholeHistory)) {
                check.report(Kind.FORGOTTEN, "the history from " + first + " is not what it was");
            }
            new StoreReads(client, check).compareAll();
        }
    }

    private static void printEveryTenth(KillSummary summary) {
        if (summary.rounds() % 10 == 0) {
            System.out.println(summary.text());
        }
    }

    /** The long form: {@code [ROUNDS [SEED]]}, by default 50 rounds. */
    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 50;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
        Path directory = Files.createTempDirectory("kill-rounds");
        Settings settings = new Settings(rounds, 6, 1_500, seed);
        KillSummary summary =
                new KillRounds(ServerCommand.underTest(), ServerHome.fresh(directory), settings)
                        .run(s -> printEveryTenth(s));
        summary.violations().forEach(System.out::println);
        System.out.println(summary.text());
        System.exit(summary.violations().isEmpty() ? 0 : 1);
    }
}
