package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Outcome;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import java.time.Duration;
import java.util.List;

/** What a server does without being asked: compactions by itself, checkpoints of leases. */
final class UpkeepCases {
    private static final Duration PERIOD = Duration.ofSeconds(4);
    private static final int WAITS_MAX = 300;

    private UpkeepCases() {}

    static List<Scenario> scenarios() {
        return List.of(
                scenario(
                                270,
                                "a period of history is kept, and what is older is compacted",
                                s -> {
                                    for (int i = 0; i < 5; i++) {
                                        s.put("a", "" + i);
                                    }
                                    s.range(get("a").setRevision(3));
                                    awaitCompacted(s, 5);
                                    s.range(get("a").setRevision(5));
                                    s.range(get("a").setRevision(6));
                                    s.put("a", "later");
                                    long replaced = System.nanoTime();
                                    s.range(get("a").setRevision(6));
                                    awaitCompacted(s, 6);
                                    Duration kept = Duration.ofNanos(System.nanoTime() - replaced);
                                    s.note("kept for the period", kept.compareTo(PERIOD) >= 0);
                                    s.range(get("a").setRevision(7));
                                    s.range(get("a"));
                                })
                        .onFreshServer("--auto-compaction-retention=" + PERIOD.toSeconds() + "s")
                        // What follows a compaction must happen before the next.
                        .leftToChance(),
                scenario(
                                271,
                                "with every feature gate open a server serves, and again after a"
                                        + " restart",
                                s -> {
                                    s.grant(lease(77, 900));
                                    s.put(put("a", "1").setLease(77));
                                    s.killAndRestart();
                                    s.range(get("a"));
                                    s.note("left", isBetween(left(s, 77), 840, 900));
                                    s.revoke(77);
                                    s.range(get("a"));
                                })
                        .onFreshServer("--feature-gates=AllAlpha=true,AllBeta=true"));
    }

    /** Those that must wait for minutes. */
    static List<Scenario> slow() {
        return List.of(
                scenario(
                                272,
                                "a number of revisions is kept; what is left of a lease outlives"
                                        + " a restart, unless it was renewed",
                                s -> {
                                    for (int i = 0; i < 30; i++) {
                                        s.put("a", "" + i);
                                    }
                                    s.grant(lease(77, 900));
                                    s.grant(lease(78, 900));
                                    s.grant(lease(79, 300));
                                    s.range(get("a").setRevision(2));
                                    Thread.sleep(Duration.ofSeconds(305).toMillis());
                                    s.range(get("a").setRevision(20));
                                    s.range(get("a").setRevision(21));
                                    s.range(get("a").setRevision(22));
                                    s.note("renewed", renew(s, 78));
                                    s.killAndRestart();
                                    s.note("checkpointed", isBetween(left(s, 77), 590, 600));
                                    s.note("renewed since", isBetween(left(s, 78), 890, 900));
                                    s.range(get("a").setRevision(20));
                                    s.leases();
                                })
                        .onFreshServer(
                                "--auto-compaction-mode=revision",
                                "--auto-compaction-retention=10",
                                "--feature-gates=LeaseCheckpoint=true,LeaseCheckpointPersist=true"));
    }

    private static void awaitCompacted(Session s, long revision) throws InterruptedException {
        for (int i = 0; i < WAITS_MAX; i++) {
            var read = get("a").setRevision(revision).build();
            if (!(s.unrecorded().call(KVGrpc.getRangeMethod(), read) instanceof Outcome.Answer)) {
                return;
            }
            Thread.sleep(100);
        }
        throw new IllegalStateException("revision " + revision + " is never compacted");
    }

    private static long renew(Session s, long id) throws InterruptedException {
        var keepAlive = s.keepAlive();
        keepAlive.send(LeaseKeepAliveRequest.newBuilder().setID(id).build());
        keepAlive.expect(1);
        return id;
    }

    private static long left(Session s, long id) {
        return s.unrecorded()
                .call(
                        LeaseGrpc.getLeaseTimeToLiveMethod(),
                        LeaseTimeToLiveRequest.newBuilder().setID(id).build())
                .get()
                .getTTL();
    }

    private static String isBetween(long value, long least, long most) {
        return value >= least && value <= most ? "as expected" : "not expected: " + value;
    }
}
