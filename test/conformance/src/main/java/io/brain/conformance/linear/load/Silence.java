package io.brain.conformance.linear.load;

import io.brain.conformance.linear.Keys;
import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.Operation.Place;
import io.brain.conformance.linear.Violation;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The check while all clients are silent and no fault is on: within a time every node shows the
 * leader's revision, to readers and to a watcher; all nodes answer alike; and a linearizable read
 * takes less than that on each. What the answers say goes to the history, too. For one thread.
 */
final class Silence implements AutoCloseable {

    private static final long CALL_SECONDS_MAX = 10;
    private static final int PAUSE_MILLIS = 20;

    private final Cluster cluster;
    private final Recorder recorder;
    private final Watchers watchers;
    private final List<ManagedChannel> channels;
    private final long nanosMax;
    private final List<Violation> violations = new ArrayList<>();
    private int silences;
    private double slowestAlike;
    private double slowestRead;

    Silence(Cluster cluster, Recorder recorder, Watchers watchers, Duration alikeMax) {
        this.cluster = cluster;
        this.recorder = recorder;
        this.watchers = watchers;
        this.nanosMax = alikeMax.toNanos();
        this.channels = cluster.nodes().stream().map(Node::channel).toList();
    }

    /**
     * Checks once; all members serve, and no request is on its way.
     *
     * @param after what came before, for reports
     */
    void check(String after) throws InterruptedException {
        silences++;
        long start = System.nanoTime();
        List<Optional<TxnResponse>> answers = askAll();
        while (!alike(answers) && System.nanoTime() - start < nanosMax) {
            Thread.sleep(PAUSE_MILLIS);
            answers = askAll();
        }
        double millis = (System.nanoTime() - start) / 1e6;
        slowestAlike = Math.max(slowestAlike, millis);
        if (!alike(answers)) {
            reportDifferent(after, answers, millis);
        }
        for (int node = 0; node < channels.size(); node++) {
            checkRead(node);
            note(node, range().setSerializable(true));
            note(node, range().setSerializable(true).setCountOnly(true));
            note(node, range().setCountOnly(true));
        }
    }

    private List<Optional<TxnResponse>> askAll() {
        List<Optional<TxnResponse>> answers = new ArrayList<>();
        for (int node = 0; node < channels.size(); node++) {
            answers.add(ask(node, range().setSerializable(true).setKeysOnly(true)));
        }
        return answers;
    }

    /** Revision, keys and count, and the watcher that stays on each node. */
    private boolean alike(List<Optional<TxnResponse>> answers) {
        if (answers.stream().anyMatch(Optional::isEmpty)) {
            return false;
        }
        boolean same = true;
        for (int node = 0; node < answers.size(); node++) {
            TxnResponse first = answers.get(0).get();
            TxnResponse other = answers.get(node).get();
            same &=
                    revision(first) == revision(other)
                            && kvs(first).equals(kvs(other))
                            && watchers.passedOn(node, revision(first));
        }
        return same;
    }

    private void reportDifferent(String after, List<Optional<TxnResponse>> answers, double millis) {
        List<String> nodes = new ArrayList<>();
        long newest =
                answers.stream()
                        .mapToLong(a -> a.map(Silence::revision).orElse(0L))
                        .max()
                        .orElse(0);
        for (int node = 0; node < answers.size(); node++) {
            String shown =
                    answers.get(node)
                            .map(
                                    a ->
                                            "revision "
                                                    + revision(a)
                                                    + " with "
                                                    + kvs(a).size()
                                                    + " keys")
                            .orElse("nothing");
            boolean watched = watchers.passedOn(node, newest);
            nodes.add(
                    cluster.nodes().get(node).name()
                            + " shows "
                            + shown
                            + (watched ? "" : ", and its watcher is behind"));
        }
        String leader = cluster.leader().map(Node::name).orElse("none");
        violations.add(
                new Violation(
                        Violation.Kind.BEHIND,
                        String.format(
                                Locale.ROOT,
                                "%.0f ms after the last request (%s): %s; the leader is %s",
                                millis,
                                after,
                                String.join("; ", nodes),
                                leader)));
    }

    private void checkRead(int node) {
        long start = System.nanoTime();
        Optional<TxnResponse> answer =
                ask(node, RangeRequest.newBuilder().setKey(Keys.of(Requests.SHARED + "10")));
        long nanos = System.nanoTime() - start;
        slowestRead = Math.max(slowestRead, nanos / 1e6);
        if (answer.isEmpty() || nanos > nanosMax) {
            violations.add(
                    new Violation(
                            Violation.Kind.SLOW,
                            String.format(
                                    Locale.ROOT,
                                    "a linearizable get on %s takes %.0f ms%s",
                                    cluster.nodes().get(node).name(),
                                    nanos / 1e6,
                                    answer.isEmpty() ? " and fails" : "")));
        }
    }

    /** Serializable lists on one node, one after the other, for so long. */
    void list(int node, long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < end) {
            note(node, range().setSerializable(true).setKeysOnly(true));
            note(node, range().setSerializable(true).setCountOnly(true));
        }
    }

    private void note(int node, RangeRequest.Builder range) {
        var unused = ask(node, range);
    }

    private Optional<TxnResponse> ask(int index, RangeRequest.Builder range) {
        Node node = cluster.nodes().get(index);
        ManagedChannel channel = channels.get(index);
        channel.resetConnectBackoff();
        Place place = new Place("silence", node.name(), node.program().life());
        TxnRequest request = Operation.plain(RequestOp.newBuilder().setRequestRange(range));
        long start = System.nanoTime();
        try {
            TxnResponse answer =
                    Caller.call(
                            KVGrpc.newBlockingStub(channel)
                                    .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS),
                            request);
            recorder.add(Operation.answered("silence", place, start, request, answer));
            return Optional.of(answer);
        } catch (StatusRuntimeException e) {
            recorder.add(
                    Operation.unanswered(
                            "silence", place, start, request, Operation.Outcome.UNKNOWN));
            return Optional.empty();
        }
    }

    private static RangeRequest.Builder range() {
        return RangeRequest.newBuilder().setKey(Keys.ZERO).setRangeEnd(Keys.ZERO);
    }

    private static long revision(TxnResponse answer) {
        return answer.getHeader().getRevision();
    }

    private static List<?> kvs(TxnResponse answer) {
        return answer.getResponses(0).getResponseRange().getKvsList();
    }

    List<Violation> violations() {
        return violations;
    }

    int silences() {
        return silences;
    }

    /** The longest time until all nodes were alike, in ms. */
    double slowestAlike() {
        return slowestAlike;
    }

    /** The slowest linearizable get of a silence, in ms. */
    double slowestRead() {
        return slowestRead;
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
