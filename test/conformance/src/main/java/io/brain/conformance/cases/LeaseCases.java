package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Exchange;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import java.util.List;
import java.util.stream.Stream;

/** Leases. */
final class LeaseCases {

    private LeaseCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(grants(), ends(), alive(), times()).flatMap(List::stream).toList();
    }

    private static List<Scenario> grants() {
        return List.of(
                scenario(
                        93,
                        "the server chooses an id where none is given; an id is granted once",
                        s -> {
                            long chosen = s.grant(lease(0, 600)).get().getID();
                            s.put(put("a", "1").setLease(chosen));
                            s.timeToLive(chosen);
                            s.grant(lease(chosen, 600));
                            s.grant(lease(77, 600));
                            s.grant(lease(77, 900));
                            s.timeToLive(77);
                            s.leases();
                            s.revoke(chosen);
                            s.range(get("a"));
                        }),
                scenario(
                        94,
                        "times are raised to the least and refused above the most",
                        s -> {
                            s.grant(lease(1, 0));
                            s.grant(lease(2, -5));
                            s.grant(lease(3, 1));
                            s.grant(lease(4, 2));
                            s.grant(lease(5, 3));
                            s.grant(lease(6, 9_000_000_000L));
                            s.grant(lease(7, 9_000_000_001L));
                            s.grant(lease(8, Long.MAX_VALUE));
                            s.grant(lease(9, Long.MIN_VALUE));
                            s.grant(lease(-9, 600));
                            s.grant(lease(Long.MIN_VALUE, 600));
                            s.grant(lease(Long.MAX_VALUE, 600));
                            s.timeToLive(-9);
                            s.timeToLive(6);
                        }),
                scenario(
                        241,
                        "an id that was revoked can be granted again",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("a", "1").setLease(77));
                            s.revoke(77);
                            s.grant(lease(77, 900));
                            s.timeToLive(77);
                            s.put(put("b", "1").setLease(77));
                            s.timeToLive(77);
                            s.leases();
                        }));
    }

    private static List<Scenario> ends() {
        return List.of(
                scenario(
                        95,
                        "an unknown lease cannot be revoked",
                        s -> {
                            s.revoke(12345);
                            s.revoke(0);
                            s.revoke(-1);
                        }),
                scenario(
                        96,
                        "revoking deletes all keys at one revision, in key order",
                        s -> {
                            s.grant(lease(77, 600));
                            s.grant(lease(78, 600));
                            s.put(put("b", "1").setLease(77));
                            s.put(put("a", "1").setLease(77));
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setPrevKv(true));
                            s.revoke(77);
                            watch.expect(1);
                            s.revoke(78);
                            watch.expectNothing();
                            s.range(all());
                            s.leases();
                        }),
                scenario(
                        100,
                        "a key belongs to its latest lease only",
                        s -> {
                            s.grant(lease(77, 600));
                            s.grant(lease(78, 600));
                            s.put(put("a", "1").setLease(77));
                            s.put(put("a", "2").setLease(78));
                            s.timeToLive(77);
                            s.timeToLive(78);
                            s.revoke(77);
                            s.range(get("a"));
                            s.delete(delete("a"));
                            s.put("a", "3");
                            s.revoke(78);
                            s.range(get("a"));
                        }),
                scenario(
                        242,
                        "transactions attach and detach keys",
                        s -> {
                            s.grant(lease(77, 600));
                            s.grant(lease(78, 600));
                            s.txn(
                                    txn(
                                            put("a", "1").setLease(77),
                                            put("b", "1").setLease(77),
                                            put("c", "1").setLease(78)));
                            s.txn(txn(put("a", "2").setLease(78), put("b", "2"), delete("c")));
                            s.timeToLive(77);
                            s.timeToLive(78);
                            s.revoke(78);
                            s.range(all());
                        }));
    }

    private static List<Scenario> alive() {
        return List.of(
                scenario(
                        97,
                        "an unknown lease is answered with 0, and the stream goes on",
                        s -> {
                            s.grant(lease(77, 600));
                            var alive = s.keepAlive();
                            for (long id : new long[] {12345, 77, 0, -1, 77}) {
                                alive.send(keep(id));
                            }
                            alive.expect(5);
                            s.revoke(77);
                            alive.send(keep(77));
                            alive.expect(1);
                            alive.halfClose();
                            alive.expectEnd();
                        }),
                scenario(
                        98,
                        "an unknown lease has -1 left; keys come only when asked for",
                        s -> {
                            s.timeToLive(12345);
                            s.grant(lease(77, 600));
                            s.put(put("b", "1").setLease(77));
                            s.put(put("a", "1").setLease(77));
                            s.timeToLive(77);
                            s.call(
                                    LeaseGrpc.getLeaseTimeToLiveMethod(),
                                    LeaseTimeToLiveRequest.newBuilder().setID(77).build());
                            s.timeToLive(0);
                        }),
                scenario(
                        243,
                        "a kept-alive lease has its whole time again",
                        s -> {
                            s.grant(lease(77, 100));
                            Thread.sleep(2_200);
                            s.timeToLive(77);
                            var alive = s.keepAlive();
                            alive.send(keep(77));
                            alive.expect(1);
                            s.timeToLive(77);
                        }));
    }

    private static List<Scenario> times() {
        return List.of(
                scenario(
                                99,
                                "an expired lease takes its keys with it, soon and at one revision",
                                s -> {
                                    long start = System.nanoTime();
                                    s.grant(lease(77, 1));
                                    s.put(put("b", "1").setLease(77));
                                    s.put(put("a", "1").setLease(77));
                                    WatchStream watch = s.watch();
                                    watch.create(watchAll().setPrevKv(true));
                                    watch.expect(1);
                                    long millis = (System.nanoTime() - start) / 1_000_000;
                                    s.note("soon", millis < 6_000);
                                    s.note("not early", millis >= 2_000);
                                    s.timeToLive(77);
                                    s.range(all());
                                    keepOnce(s, 77);
                                    s.leases();
                                })
                        // The watcher must be there in two seconds.
                        .leftToChance(),
                scenario(
                                244,
                                "a lease that is kept alive outlives its time",
                                s -> {
                                    s.grant(lease(77, 2));
                                    s.put(put("a", "1").setLease(77));
                                    for (int i = 0; i < 5; i++) {
                                        Thread.sleep(800);
                                        keepOnce(s, 77);
                                    }
                                    s.range(get("a"));
                                    WatchStream watch = s.watch();
                                    watch.create(watchAll());
                                    watch.expect(1);
                                })
                        // It must be renewed every two seconds, and ends before the watcher is
                        // there
                        // if that takes as long.
                        .leftToChance(),
                scenario(
                                101,
                                "after a restart a lease is there with its keys and its whole time",
                                s -> {
                                    s.grant(lease(77, 60));
                                    s.put(put("a", "1").setLease(77));
                                    s.put(put("b", "1").setLease(77));
                                    s.put("b", "2");
                                    Thread.sleep(3_500);
                                    long stopped = System.nanoTime();
                                    s.restart();
                                    wholeTimeAndKeys(s, stopped);
                                    s.leases();
                                    Thread.sleep(3_500);
                                    stopped = System.nanoTime();
                                    s.killAndRestart();
                                    wholeTimeAndKeys(s, stopped);
                                    s.revoke(77);
                                    s.range(all());
                                })
                        .onFreshServer(),
                scenario(
                                245,
                                "after a restart a lease ends, and takes its keys with it",
                                s -> {
                                    s.grant(lease(77, 6));
                                    s.put(put("a", "1").setLease(77));
                                    s.killAndRestart();
                                    WatchStream watch = s.watch();
                                    watch.create(watchAll().setPrevKv(true));
                                    watch.expect(1);
                                    s.leases();
                                })
                        .onFreshServer());
    }

    /** What was left before the restart would be 3.5 seconds less. */
    private static void wholeTimeAndKeys(Session s, long stopped) {
        LeaseTimeToLiveResponse left =
                s.unrecorded()
                        .call(
                                LeaseGrpc.getLeaseTimeToLiveMethod(),
                                LeaseTimeToLiveRequest.newBuilder().setID(77).setKeys(true).build())
                        .get();
        double gone = (System.nanoTime() - stopped) / 1e9;
        s.note("its whole time", left.getTTL() >= 60 - gone - 1.5 && left.getTTL() <= 62);
        s.note("the rest", left.toBuilder().clearTTL().build());
    }

    private static void keepOnce(Session s, long id) throws InterruptedException {
        try (Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> alive = s.keepAlive()) {
            alive.send(keep(id));
            alive.expect(1);
        }
    }

    private static LeaseKeepAliveRequest keep(long id) {
        return LeaseKeepAliveRequest.newBuilder().setID(id).build();
    }
}
