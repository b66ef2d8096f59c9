package io.brain.conformance.failover;

import com.google.protobuf.ByteString;
import io.brain.conformance.members.Node;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A client that puts without end and tries again, on the next node, whatever happens; it notes the
 * longest time between two successes. A thread of its own runs it; the rest is for any thread.
 */
final class Probe implements Runnable {

    /** Longer than any put takes of a cluster that serves, shorter than a lease or an election. */
    private static final long ATTEMPT_MILLIS_MAX = 700;

    private static final int PAUSE_MILLIS = 5;
    private static final int PAUSE_AFTER_FAILURE_MILLIS = 20;

    private final ByteString key;
    private final List<ManagedChannel> channels;
    private volatile boolean stopping;
    private volatile int node;
    private long lastSuccess = System.nanoTime();
    private long longestGap;
    private long successes;
    private long failures;

    Probe(String name, List<Node> nodes) {
        this.key = ByteString.copyFromUtf8("/probe/" + name);
        this.channels = nodes.stream().map(Node::channel).toList();
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                if (put(channels.get(node))) {
                    succeeded();
                    Thread.sleep(PAUSE_MILLIS);
                } else {
                    failed();
                    node = (node + 1) % channels.size();
                    Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    private boolean put(ManagedChannel channel) {
        channel.resetConnectBackoff();
        try {
            var unused =
                    KVGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(ATTEMPT_MILLIS_MAX, TimeUnit.MILLISECONDS)
                            .put(PutRequest.newBuilder().setKey(key).setValue(key).build());
            return true;
        } catch (StatusRuntimeException e) {
            return false;
        }
    }

    private synchronized void succeeded() {
        long now = System.nanoTime();
        longestGap = Math.max(longestGap, now - lastSuccess);
        lastSuccess = now;
        successes++;
    }

    private synchronized void failed() {
        failures++;
    }

    /** Goes to this node, and forgets the gaps and failures so far. */
    synchronized void begin(int home) {
        node = home;
        longestGap = 0;
        failures = 0;
    }

    /** The longest time between two successes since then, in ms. */
    synchronized double longestGapMillis() {
        return longestGap / 1e6;
    }

    /** Puts that failed since then. */
    synchronized long failures() {
        return failures;
    }

    synchronized long successes() {
        return successes;
    }

    void stop() {
        stopping = true;
    }
}
