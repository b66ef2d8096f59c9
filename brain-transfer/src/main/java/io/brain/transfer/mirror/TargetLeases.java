package io.brain.transfer.mirror;

import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.transfer.verify.EndpointSide;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The leases of a target: granted like those of the source, and kept alive by a thread of its own,
 * so that none ends before its end at the source was applied. Used by one thread.
 */
public final class TargetLeases implements AutoCloseable {
    private static final int LEASES_MAX = 1 << 20;
    private static final int CALL_SECONDS = 10;
    private static final long TICK_MILLIS = 250;

    /** In a tick; the others wait for the next one. */
    private static final int RENEWALS_MAX = 2_000;

    /** Longer than a mirror that was killed needs to start again. */
    private static final long TTL_SECONDS_MIN = 60;

    /** Of a lease that the source does not have any more. */
    private static final long TTL_SECONDS_UNKNOWN = TimeUnit.DAYS.toSeconds(1);

    private final SourceCluster source;
    private final SourceCluster target;
    private final Channel channel;

    /** By ID. */
    private final Map<Long, Held> leases = new ConcurrentHashMap<>();

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread created = new Thread(task, "mirror-leases");
                        created.setDaemon(true);
                        return created;
                    });

    /** Of the thread. */
    private StreamObserver<LeaseKeepAliveRequest> renewals;

    private volatile long lost;

    /** A lease, and when to renew it. */
    private record Held(long ttlSeconds, long dueNanos) {
        static Held from(long ttlSeconds) {
            return new Held(
                    ttlSeconds, System.nanoTime() + TimeUnit.SECONDS.toNanos(ttlSeconds) / 3);
        }
    }

    /** Renews all leases of the target at once, and from then on. */
    TargetLeases(SourceCluster source, SourceCluster target, Channel channel) throws IOException {
        this.source = source;
        this.target = target;
        this.channel = channel;
        for (long id : Retries.of(target::leases)) {
            leases.put(id, new Held(1, System.nanoTime()));
        }
        var unused =
                thread.scheduleWithFixedDelay(this::renew, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Keeps the leases alive that a cluster has now, until it is closed: also while it is fenced.
     */
    public static TargetLeases keep(SourceCluster cluster, Channel channel) throws IOException {
        return new TargetLeases(cluster, cluster, channel);
    }

    /** Number of leases that are kept alive. */
    public int count() {
        return leases.size();
    }

    /** Grants a lease, if the target does not have it. */
    void require(long id) throws IOException {
        long ended = lost;
        if (ended != 0 && leases.containsKey(ended)) {
            throw new IOException("%s: the lease %x has ended".formatted(target.name(), ended));
        }
        if (leases.containsKey(id)) {
            return;
        }
        if (leases.size() >= LEASES_MAX) {
            throw new IOException("more than %d leases".formatted(LEASES_MAX));
        }
        long granted = Retries.of(() -> source.grantedTtl(id));
        grant(id, granted < 0 ? TTL_SECONDS_UNKNOWN : granted);
    }

    private void grant(long id, long granted) throws IOException {
        long seconds = Math.max(TTL_SECONDS_MIN, granted);
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setID(id).setTTL(seconds).build();
        Retries.complete(
                target.name(), () -> stub().leaseGrant(request), Status.Code.FAILED_PRECONDITION);
        leases.put(id, Held.from(seconds));
    }

    /**
     * Grants what only the source has, and revokes what only the target has, if it has no keys. All
     * revisions that were taken must be applied.
     */
    void align() throws IOException {
        Set<Long> wanted = new HashSet<>(Retries.of(source::leases));
        for (long id : wanted) {
            if (!leases.containsKey(id)) {
                long granted = Retries.of(() -> source.grantedTtl(id));
                if (granted > 0) {
                    grant(id, granted);
                }
            }
        }
        for (long id : leases.keySet()) {
            if (!wanted.contains(id)) {
                revokeUnused(id);
            }
        }
    }

    private void revokeUnused(long id) throws IOException {
        LeaseTimeToLiveRequest keys =
                LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(true).build();
        LeaseTimeToLiveResponse response =
                Retries.of(
                        () -> EndpointSide.call(target.name(), () -> stub().leaseTimeToLive(keys)));
        if (response.getKeysCount() > 0) {
            return;
        }
        leases.remove(id);
        LeaseRevokeRequest request = LeaseRevokeRequest.newBuilder().setID(id).build();
        Retries.complete(target.name(), () -> stub().leaseRevoke(request), Status.Code.NOT_FOUND);
    }

    /** On the thread. */
    private void renew() {
        try {
            for (long id : due()) {
                if (renewals == null) {
                    renewals = LeaseGrpc.newStub(channel).leaseKeepAlive(new Renewed());
                }
                renewals.onNext(LeaseKeepAliveRequest.newBuilder().setID(id).build());
                // Until the answer says more.
                leases.computeIfPresent(id, (key, held) -> Held.from(held.ttlSeconds()));
            }
        } catch (RuntimeException failed) {
            renewals = null;
        }
    }

    private List<Long> due() {
        long now = System.nanoTime();
        return leases.entrySet().stream()
                .filter(lease -> lease.getValue().dueNanos() - now <= 0)
                .limit(RENEWALS_MAX)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Answers to renewals; on threads of the channel. */
    private final class Renewed implements StreamObserver<LeaseKeepAliveResponse> {
        @Override
        public void onNext(LeaseKeepAliveResponse response) {
            long id = response.getID();
            if (response.getTTL() > 0) {
                leases.computeIfPresent(id, (key, held) -> Held.from(response.getTTL()));
            } else if (leases.containsKey(id)) {
                lost = id;
            }
        }

        @Override
        public void onError(Throwable failed) {
            restart();
        }

        @Override
        public void onCompleted() {
            restart();
        }

        private void restart() {
            if (!thread.isShutdown()) {
                thread.execute(() -> renewals = null);
            }
        }
    }

    private LeaseGrpc.LeaseBlockingStub stub() {
        return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
