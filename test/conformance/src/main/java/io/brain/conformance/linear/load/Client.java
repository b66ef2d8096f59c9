package io.brain.conformance.linear.load;

import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.Operation.Outcome;
import io.brain.conformance.linear.Operation.Place;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * One client: one request after the other, to its node or, if it rotates, to another after every
 * failure. It calls no node whose process has ended. A request without an answer stays open for
 * ever, and the next goes out. One thread runs it; {@link #stop} is for any.
 */
final class Client implements Runnable {

    private static final long SHORT_MILLIS = 1_500;
    private static final long LONG_MILLIS = 9_000;
    private static final int PAUSE_AFTER_FAILURE_MILLIS = 100;
    private static final Metadata NEEDS_LEADER = new Metadata();

    static {
        NEEDS_LEADER.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
    }

    private final String name;
    private final List<Node> nodes;
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final boolean rotates;
    private final int thinkMillisMax;
    private final boolean staleReads;
    private final Random random;
    private final Recorder recorder;
    private final Lock running;
    private final Requests requests;
    private int current;
    private volatile boolean stopping;

    /**
     * @param nodes those that it calls
     * @param home the number of the one that it begins with
     */
    Client(int number, Load load, List<Node> nodes, int home, boolean rotates) {
        this.name = "c" + number;
        this.nodes = nodes;
        this.rotates = rotates;
        this.thinkMillisMax = load.thinkMillisMax();
        this.staleReads = load.staleReads();
        this.random = new Random(load.seed() * 1_000 + number);
        this.recorder = load.recorder();
        this.running = load.running();
        this.requests = new Requests(name, random);
        this.current = home;
        nodes.forEach(node -> channels.add(node.channel()));
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                boolean answered = nodes.get(current).program().isAlive() && callAlone();
                if (!answered && rotates) {
                    current = (current + 1) % nodes.size();
                }
                Thread.sleep(
                        answered ? random.nextInt(thinkMillisMax + 1) : PAUSE_AFTER_FAILURE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    String name() {
        return name;
    }

    /** No more requests after the present one. */
    void stop() {
        stopping = true;
    }

    private boolean callAlone() throws InterruptedException {
        running.lockInterruptibly();
        try {
            return callOnce();
        } finally {
            running.unlock();
        }
    }

    private boolean callOnce() {
        Node node = nodes.get(current);
        ManagedChannel channel = channels.get(current);
        Place at = new Place(name, node.name(), node.program().life());
        Requests.Named next = requests.next();
        SendMark mark = new SendMark();
        channel.resetConnectBackoff();
        long start = System.nanoTime();
        try {
            TxnRequest sent = staleReads ? Caller.stale(next.request()) : next.request();
            TxnResponse answer = Caller.call(stub(channel, mark), sent);
            Operation operation =
                    Operation.answered(next.kind(), at, start, next.request(), answer);
            recorder.add(operation);
            requests.learn(operation);
            return true;
        } catch (StatusRuntimeException e) {
            recorder.add(
                    Operation.unanswered(next.kind(), at, start, next.request(), outcome(e, mark)));
            return false;
        }
    }

    private KVGrpc.KVBlockingStub stub(ManagedChannel channel, SendMark mark) {
        long millis = random.nextInt(4) == 0 ? LONG_MILLIS : SHORT_MILLIS;
        KVGrpc.KVBlockingStub kv =
                KVGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(millis, TimeUnit.MILLISECONDS)
                        .withInterceptors(mark);
        return random.nextBoolean()
                ? kv
                : kv.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(NEEDS_LEADER));
    }

    /** Only what was never sent, or was refused for what it is, has surely failed. */
    private static Outcome outcome(StatusRuntimeException e, SendMark mark) {
        Status.Code code = e.getStatus().getCode();
        boolean refused = code == Status.Code.OUT_OF_RANGE || code == Status.Code.INVALID_ARGUMENT;
        return refused || !mark.sent() ? Outcome.FAILED : Outcome.UNKNOWN;
    }
}
