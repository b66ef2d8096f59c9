package io.brain.conformance.linear.load;

import io.brain.conformance.linear.EventLog;
import io.brain.conformance.linear.History;
import io.brain.conformance.linear.HistoryChecker;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.Registers;
import io.brain.conformance.linear.Violation;
import io.brain.conformance.linear.WatcherRecord;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Target;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** One history: a fresh cluster, clients and watchers, faults, and the check. For one thread. */
final class Round {

    /**
     * How a round is run.
     *
     * @param faults empty for none
     * @param bursts empty for none, and then no silence either
     * @param disturbances what may happen to a follower around a burst
     * @param alikeMax how soon all members have to be alike while all clients are silent
     * @param staleReads whether clients cheat: they ask for any reads and say that they were
     *     linearizable, which the check must find out
     */
    record Settings(
            Target target,
            long seed,
            Duration length,
            Pace pace,
            Set<Fault> faults,
            Set<Burst> bursts,
            Set<Disturbance> disturbances,
            Duration alikeMax,
            boolean staleReads) {}

    /**
     * How much load there is.
     *
     * @param thinkMillisMax the longest pause of a client between two requests
     */
    record Pace(int clients, int thinkMillisMax) {}

    private static final Duration SERVING_MAX = Duration.ofSeconds(90);
    private static final Duration WATCHERS_MAX = Duration.ofSeconds(60);
    private static final Duration LOG_MAX = Duration.ofMinutes(2);
    private static final Duration SEARCH_MAX = Duration.ofSeconds(2);
    private static final Operation.Place PLACE = new Operation.Place("end", "any", 0);

    private final Settings settings;
    private final Recorder recorder = new Recorder();
    private final List<Violation> violations = new ArrayList<>();
    private final ReadWriteLock gate = new ReentrantReadWriteLock();
    private EventLog log = new EventLog();
    private long compacted;
    private boolean readable;
    private List<WatcherRecord> records = List.of();
    private List<Nemesis.Injection> faults = List.of();
    private List<WriteGaps.Silent> silences = List.of();

    Round(Settings settings) {
        this.settings = settings;
    }

    /**
     * Runs it.
     *
     * @param directory empty; the cluster's data and logs go there
     * @param history where the history is written to
     */
    Summary run(Path directory, Path history) throws IOException, InterruptedException {
        Summary summary = new Summary();
        try (Cluster cluster = Cluster.start(settings.target(), directory);
                Watchers watchers = new Watchers(cluster.nodes(), recorder);
                Silence silence = new Silence(cluster, recorder, watchers, settings.alikeMax());
                Compactor compactor =
                        new Compactor(cluster.nodes(), settings.seed(), gate.readLock())) {
            long term = cluster.term();
            Load load = load(cluster);
            List<Client> clients = new ArrayList<>();
            List<Thread> threads = startClients(load, clients);
            threads.add(start(compactor, "compactor"));
            Nemesis nemesis = new Nemesis(cluster, settings.seed(), settings.faults());
            Bursts bursts =
                    new Bursts(
                            load,
                            settings.bursts(),
                            settings.disturbances(),
                            compactor,
                            silence,
                            gate.writeLock());
            long end = System.nanoTime() + settings.length().toNanos();
            boolean served = true;
            while (served && System.nanoTime() < end) {
                nemesis.next();
                served = bursts.next();
            }
            served = served && cluster.awaitServing(SERVING_MAX);
            clients.forEach(Client::stop);
            compactor.stop();
            for (Thread thread : threads) {
                thread.join();
            }
            if (served) {
                tryToConclude(cluster, watchers, compactor);
            } else {
                report(
                        Violation.Kind.STUCK,
                        "the cluster does not serve " + SERVING_MAX + " after the last fault");
            }
            log = compactor.log();
            compacted = compactor.asked();
            violations.addAll(silence.violations());
            if (nemesis.twinsServing() > 0) {
                report(
                        Violation.Kind.TWINS,
                        nemesis.twinsServing() + " times two processes served as one member");
            }
            faults = nemesis.injected();
            silences = bursts.silences();
            summary.addEnded(cluster.revived(), nemesis.twinsEnded(), cluster.term() - term);
            summary.addBursts(bursts.sent(), compactor.compactions());
            summary.addSilences(silence.silences(), silence.slowestAlike(), silence.slowestRead());
            records = watchers.stop();
            summary.addWatchers(records, watchers.resumptions(), watchers.relists());
        }
        check(summary);
        HistoryFile.write(history, recorder, log, violations);
        return summary;
    }

    private Load load(Cluster cluster) {
        return new Load(
                cluster,
                recorder,
                settings.seed(),
                settings.pace().thinkMillisMax(),
                settings.staleReads(),
                gate.readLock());
    }

    /** Those of the members, and as many for each twin as a member has. */
    private List<Thread> startClients(Load load, List<Client> clients) {
        List<Node> nodes = load.cluster().nodes();
        for (int i = 0; i < settings.pace().clients(); i++) {
            clients.add(new Client(i + 1, load, nodes, i % nodes.size(), i % 2 == 1));
        }
        for (Node twin : load.cluster().twins()) {
            for (int i = 0; i < settings.pace().clients() / nodes.size(); i++) {
                clients.add(new Client(clients.size() + 1, load, List.of(twin), 0, false));
            }
        }
        List<Thread> threads = new ArrayList<>();
        for (Client client : clients) {
            threads.add(start(client, client.name()));
        }
        return threads;
    }

    private static Thread start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A cluster that is broken for good has violated enough: the rest is checked without it. */
    private void tryToConclude(Cluster cluster, Watchers watchers, Compactor compactor)
            throws InterruptedException {
        try {
            conclude(cluster, watchers, compactor);
            readable = true;
        } catch (IOException e) {
            report(Violation.Kind.UNREADABLE, e + " by " + e.getCause());
        }
    }

    /** The last writes, which every watcher waits for; the log, and what is there, on each node. */
    private void conclude(Cluster cluster, Watchers watchers, Compactor compactor)
            throws IOException, InterruptedException {
        List<ManagedChannel> channels = cluster.nodes().stream().map(Node::channel).toList();
        try {
            callUntilAnswered(channels.get(0), put(Requests.SHARED + "end"));
            long last = callUntilAnswered(channels.get(0), put(Requests.REGISTERS + "end"));
            List<String> behind = watchers.await(last - 1, WATCHERS_MAX);
            if (!behind.isEmpty()) {
                report(
                        Violation.Kind.STUCK,
                        behind + " did not come to the end in " + WATCHERS_MAX);
            }
            // First, as it may be all that can still be read.
            for (ManagedChannel channel : channels) {
                callUntilAnswered(channel, all());
            }
            compactor.collect(channels.get(0), last, LOG_MAX);
            long floor = Math.max(compactor.asked(), EventLog.EMPTY_STORE);
            var collected = compactor.log().after(floor);
            for (ManagedChannel channel : channels) {
                if (!LogReader.read(channel, floor + 1, last, LOG_MAX).all().equals(collected)) {
                    report(
                            Violation.Kind.DISAGREEMENT,
                            channel + " has another log than " + channels.get(0));
                }
            }
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    /** Sends a request again until it is answered; the revision of the answer. */
    private long callUntilAnswered(ManagedChannel channel, TxnRequest request)
            throws IOException, InterruptedException {
        for (int attempt = 0; attempt < 30; attempt++) {
            long start = System.nanoTime();
            try {
                TxnResponse answer =
                        Caller.call(
                                KVGrpc.newBlockingStub(channel)
                                        .withDeadlineAfter(10, TimeUnit.SECONDS),
                                request);
                recorder.add(Operation.answered("final", PLACE, start, request, answer));
                return answer.getHeader().getRevision();
            } catch (StatusRuntimeException e) {
                recorder.add(
                        Operation.unanswered(
                                "final", PLACE, start, request, Operation.Outcome.UNKNOWN));
                Thread.sleep(500);
            }
        }
        throw new IOException("not answered after all faults had ended: " + request);
    }

    private void check(Summary summary) {
        List<Operation> operations = recorder.operations();
        History history = new History(operations, log, compacted, recorder.observations(), records);
        HistoryChecker.Report report =
                readable ? HistoryChecker.check(history) : HistoryChecker.checkWithoutLog(history);
        violations.addAll(report.violations());
        summary.addLanded(report.landed());
        Registers.Report search = Registers.check(operations, Requests.REGISTERS, SEARCH_MAX);
        violations.addAll(search.violations());
        summary.addSearch(search.keys(), search.undecided());
        summary.addOperations(operations, log.last());
        summary.addFaults(faults, WriteGaps.of(operations, faults, silences));
        summary.addViolations(violations);
    }

    private void report(Violation.Kind kind, String text) {
        violations.add(new Violation(kind, text));
    }

    private static TxnRequest put(String key) {
        return Operation.plain(
                RequestOp.newBuilder()
                        .setRequestPut(
                                PutRequest.newBuilder()
                                        .setKey(Keys.of(key))
                                        .setValue(Keys.of("end"))
                                        .setPrevKv(true)));
    }

    private static TxnRequest all() {
        return Operation.plain(
                RequestOp.newBuilder()
                        .setRequestRange(
                                RangeRequest.newBuilder()
                                        .setKey(Keys.ZERO)
                                        .setRangeEnd(Keys.ZERO)));
    }
}
