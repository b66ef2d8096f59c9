package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.durability.LeaseCheck.Granted;
import io.brain.conformance.cluster.durability.Violation.Kind;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Rounds of {@code kill -9}: writers at work, the server killed at a random moment, started again
 * (sometimes killed while it starts), and every write that was acknowledged looked for: in the
 * history as a watch from the past shows it, by reads at old revisions, and in what is there now.
 * Compactions run all the while, and short leases end.
 */
final class KillRounds {

    /**
     * @param rounds kills under load
     * @param loadMillisMax the longest time from the first write to the kill
     */
    record Settings(int rounds, int writers, int loadMillisMax, long seed) {}

    /** What the server stores in, if that is another process. */
    interface Store {
        Store NONE =
                new Store() {
                    @Override
                    public void disturb(Random random) {}

                    @Override
                    public void restore() {}
                };

        /** Before the server is killed: may kill the store, and start it again. */
        void disturb(Random random) throws IOException, InterruptedException;

        /** Before the server is started again: starts the store if it was killed. */
        void restore() throws IOException, InterruptedException;
    }

    private static final int LOAD_MILLIS_MIN = 100;
    private static final int EXPIRY_EVERY = 4;
    private static final int EXPIRY_MILLIS = 3_000;
    private static final Duration EXPIRED_MAX = Duration.ofSeconds(60);
    private static final int RECOVERY_KILL_PERCENT = 25;
    private static final int RECOVERY_KILL_MILLIS_MAX = 1_500;

    private final ServerCommand command;
    private final ServerHome home;
    private final Store store;
    private final Settings settings;
    private final Random random;
    private final NavigableMap<Long, List<Change>> wholeHistory = new TreeMap<>();
    private final List<Granted> leases = new ArrayList<>();
    private final StoreModel atFloor = new StoreModel();
    private HistoryCheck check = new HistoryCheck(1);
    private int rounds;
    private int recoveryKills;
    private long acknowledged;
    private long unanswered;
    private long pastReads;
    private long floor;
    private int compactions;
    private long launchedNanos;

    KillRounds(ServerCommand command, ServerHome home, Store store, Settings settings) {
        this.command = command;
        this.home = home;
        this.store = store;
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
        ServerProcess server = start();
        try {
            try (EtcdClient client = new EtcdClient(home.target())) {
                floor = client.revision();
                check = new HistoryCheck(floor);
            }
            while (rounds < settings.rounds() && check.violations().isEmpty()) {
                server = round(rounds + 1, server);
                rounds++;
                progress.accept(summary());
            }
            server.close();
            noteStop();
            server = start();
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
                new KillSummary.Writes(acknowledged, unanswered, check.landedUnknown()),
                new KillSummary.Leases(leases.size(), check.expired()),
                compactions,
                check.checkedRevision(),
                pastReads,
                List.copyOf(check.violations()));
    }

    private ServerProcess round(int round, ServerProcess server)
            throws IOException, InterruptedException, ExecutionException {
        long history = check.checkedRevision() - floor;
        Compactor compactor =
                new Compactor(home.target(), floor, floor + (long) (random.nextDouble() * history));
        WriteLoad load =
                WriteLoad.start(
                        home.target(),
                        settings.writers(),
                        round,
                        check.checkedRevision() + 1,
                        compactor,
                        random);
        int span = Math.max(1, settings.loadMillisMax() - LOAD_MILLIS_MIN);
        int more = round % EXPIRY_EVERY == 0 ? EXPIRY_MILLIS : 0;
        Thread.sleep(LOAD_MILLIS_MIN + random.nextInt(span) + more);
        boolean endedEarly = load.hasEndedEarly();
        store.disturb(random);
        server.kill();
        load.join();
        store.restore();
        leases.addAll(load.grantedLeases());
        noteStop();
        moveFloor(compactor.asked());
        compactions += compactor.compactions();
        if (endedEarly) {
            throw new IllegalStateException("a client ended before the kill: " + load.ends());
        }
        ServerProcess next = restart();
        try {
            verify(load, compactor.acknowledged());
        } catch (InterruptedException | ExecutionException | RuntimeException e) {
            next.kill();
            throw e;
        }
        return next;
    }

    /** The server has stopped: leases whose time may have been over before that may be gone. */
    private void noteStop() {
        leases.replaceAll(lease -> lease.afterStop(launchedNanos, System.nanoTime()));
    }

    /** Starts the server again; now and then it is killed once more while it recovers. */
    private ServerProcess restart() throws IOException, InterruptedException {
        if (random.nextInt(100) < RECOVERY_KILL_PERCENT) {
            ServerProcess recovering = ServerProcess.launch(command, home);
            Thread.sleep(random.nextInt(RECOVERY_KILL_MILLIS_MAX));
            recovering.kill();
            recoveryKills++;
        }
        return start();
    }

    private ServerProcess start() throws IOException, InterruptedException {
        launchedNanos = System.nanoTime();
        return ServerProcess.start(command, home);
    }

    private void verify(WriteLoad load, long acknowledgedFloor)
            throws InterruptedException, ExecutionException {
        try (EtcdClient client = new EtcdClient(home.target())) {
            load.grantedLeases().stream()
                    .filter(lease -> !lease.isLong())
                    .forEach(lease -> check.mayExpire(lease.id()));
            load.endedTooSoon().forEach(l -> check.report(Kind.LEASE, l + " ended too soon"));
            check.checkSeen(load.seen(), checkUpTo(client, client.revision(), load.attempts()));
            StoreReads reads = new StoreReads(client, check);
            reads.compareAll();
            reads.compareAll(floor, atFloor);
            reads.compareLeases(leasesToLookAt(load), launchedNanos);
            reads.readAtTheirRevisions(load.attempts());
            pastReads += reads.reads();
            long answered = load.attempts().stream().filter(a -> a.answer().isPresent()).count();
            acknowledged += answered;
            unanswered += load.attempts().size() - answered;
            expectNextRevision(client);
            expectFloor(client, acknowledgedFloor);
        }
    }

    /** Those of this round, and all that have not ended. */
    private List<Granted> leasesToLookAt(WriteLoad load) {
        Set<Long> fresh = new HashSet<>();
        load.grantedLeases().forEach(lease -> fresh.add(lease.id()));
        return leases.stream()
                .filter(l -> fresh.contains(l.id()) || !check.endedLeases().contains(l.id()))
                .toList();
    }

    /** Checks the history up to this revision, or later if more has happened meanwhile. */
    private NavigableMap<Long, List<Change>> checkUpTo(
            EtcdClient client, long revision, List<Attempt> attempts) throws InterruptedException {
        NavigableMap<Long, List<Change>> history =
                HistoryReader.read(client, check.checkedRevision() + 1, revision);
        long newest = history.isEmpty() ? revision : Math.max(revision, history.lastKey());
        check.check(attempts, history, newest);
        wholeHistory.putAll(history);
        return history;
    }

    /** Revisions go on exactly where the history ends; meanwhile only leases may have ended. */
    private void expectNextRevision(EtcdClient client) throws InterruptedException {
        Write.Put write = new Write.Put("probe", "probe-" + check.checkedRevision(), 0);
        long revision =
                client.put(Keys.of(write.key()), Payload.of(write.token()))
                        .getHeader()
                        .getRevision();
        var unused = checkUpTo(client, revision, List.of(Attempt.acknowledged(write, revision)));
    }

    /** The server's floor may be as high as this now: nothing older can be looked at. */
    private void moveFloor(long asked) {
        wholeHistory.subMap(floor, false, asked, true).forEach(atFloor::apply);
        wholeHistory.headMap(asked, false).clear();
        floor = asked;
    }

    /** A compaction that was acknowledged holds after the crash. */
    private void expectFloor(EtcdClient client, long acknowledgedFloor) {
        if (acknowledgedFloor == 0) {
            return;
        }
        try {
            client.compact(acknowledgedFloor);
            check.report(Kind.READ, "the compaction at " + acknowledgedFloor + " is forgotten");
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.OUT_OF_RANGE) {
                throw e;
            }
        }
    }

    /**
     * After a clean stop and start, all that is not compacted is there as it was; short leases end
     * with all their keys, and nothing else does.
     */
    private void checkWholeHistory() throws InterruptedException, ExecutionException {
        if (!check.violations().isEmpty() || wholeHistory.isEmpty()) {
            return;
        }
        try (EtcdClient client = new EtcdClient(home.target())) {
            StoreReads reads = new StoreReads(client, check);
            awaitExpiries(reads);
            var unused = checkUpTo(client, client.revision(), List.of());
            NavigableMap<Long, List<Change>> again =
                    HistoryReader.read(client, wholeHistory.firstKey(), check.checkedRevision());
            if (!again.equals(wholeHistory)) {
                check.report(
                        Kind.FORGOTTEN,
                        "the history from " + wholeHistory.firstKey() + " is not what it was");
            }
            reads.compareAll();
            reads.compareLeases(leases, launchedNanos);
            expectNothingBehind();
        }
    }

    /** No key stays behind when its lease has ended. */
    private void expectNothingBehind() {
        for (Granted lease : leases) {
            List<String> keys = check.model().attached(lease.id());
            if (!lease.isLong() && !keys.isEmpty()) {
                check.report(Kind.LEASE, lease + " has ended and left " + keys);
            }
        }
    }

    private void awaitExpiries(StoreReads reads) throws InterruptedException, ExecutionException {
        Set<Long> ending = new HashSet<>();
        leases.stream().filter(lease -> !lease.isLong()).forEach(lease -> ending.add(lease.id()));
        long deadline = System.nanoTime() + EXPIRED_MAX.toNanos();
        ending.retainAll(reads.show(ending).keySet());
        while (!ending.isEmpty()) {
            if (System.nanoTime() > deadline) {
                check.report(Kind.LEASE, "short leases live on: " + ending);
                return;
            }
            Thread.sleep(100);
            ending.retainAll(reads.show(ending).keySet());
        }
    }
}
