package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.large;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.modified;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.range;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Requests.when;
import static io.brain.conformance.script.Scenario.scenario;
import static io.brain.proto.etcd.Compare.CompareResult.EQUAL;

import io.brain.conformance.script.Requests.Txn;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.conformance.script.Wire;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Much of something: keys, events, bytes, leases, clients. */
final class BulkCases {

    private static final int CLIENTS = 8;
    private static final int INCREMENTS = 25;
    private static final int LEASES = 40;

    private BulkCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(keys(), history(), leases(), clients()).flatMap(List::stream).toList();
    }

    private static List<Scenario> keys() {
        return List.of(
                scenario(
                        258,
                        "three thousand keys are deleted at one revision, in one event response",
                        s -> {
                            fill(s, 3000);
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            watch.create(watch("k0100", "k0200").setPrevKv(true));
                            s.delete(delete("k", "l"));
                            watch.expectOfSeveral(2);
                            s.range(all().setCountOnly(true));
                            s.range(all().setCountOnly(true).setRevision(s.revision() - 1));
                        }),
                scenario(
                        259,
                        "an answer may be far larger than a request",
                        s -> {
                            for (int i = 0; i < 8; i++) {
                                putUnrecorded(s, put("big" + i, large(1_400_000)));
                            }
                            s.range(range("big", "bih"));
                            s.txn(txn(range("big", "bih"), range("big", "bih").setLimit(3)));
                            s.delete(delete("big", "bih").setPrevKv(true));
                        }),
                scenario(
                        260,
                        "a transaction reads, deletes and writes many keys in order",
                        s -> {
                            fill(s, 500);
                            Txn txn = txn(range("k", "l").setCountOnly(true));
                            for (int i = 0; i < 40; i++) {
                                String key = String.format("k%04d", i * 10);
                                txn.then(
                                        delete(key, key + "~"),
                                        range("k", "l").setCountOnly(true),
                                        put("n" + i, "v"));
                            }
                            s.txn(txn);
                            s.range(all().setLimit(3));
                        }));
    }

    private static List<Scenario> history() {
        return List.of(
                scenario(
                        261,
                        "thousands of revisions are compacted, the rest stays readable",
                        s -> {
                            long before = s.revision();
                            for (int i = 0; i < 2500; i++) {
                                putUnrecorded(s, put("a" + i % 7, "v" + i));
                                if (i % 50 == 0) {
                                    s.unrecorded()
                                            .call(
                                                    KVGrpc.getDeleteRangeMethod(),
                                                    delete("a" + i % 3).build());
                                }
                            }
                            long last = s.revision();
                            s.note("revisions", last - before);
                            s.compact(compact(last - 100).setPhysical(true));
                            for (long revision : new long[] {101, 100, 99, 50, 1, 0}) {
                                s.range(all().setRevision(last - revision));
                            }
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setStartRevision(last - 100).setPrevKv(true));
                            watch.expect(1);
                        }),
                scenario(
                        262,
                        "a client that does not read until its history is compacted is told so",
                        s -> {
                            WatchStream stalled = s.watch();
                            stalled.create(watchAll());
                            stalled.stall();
                            for (int i = 0; i < 3000; i++) {
                                putUnrecorded(s, put("a", large(10_000)));
                            }
                            s.compact(compact(s.revision() - 1).setPhysical(true));
                            stalled.resume();
                            s.note("it ends with", untilCancelled(s, stalled));
                        }));
    }

    private static List<Scenario> leases() {
        return List.of(
                scenario(
                        263,
                        "a lease's thousand keys go at one revision",
                        s -> {
                            s.grant(lease(77, 600));
                            for (int i = 0; i < 1000; i++) {
                                putUnrecorded(s, put("k" + (i * 7919) % 1000, "v").setLease(77));
                            }
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            s.revoke(77);
                            watch.expect(1);
                            s.range(all().setCountOnly(true));
                        }),
                scenario(
                        264,
                        "many leases that run out together each take one revision",
                        s -> {
                            for (int i = 1; i <= LEASES; i++) {
                                s.unrecorded()
                                        .call(LeaseGrpc.getLeaseGrantMethod(), lease(i, 5).build())
                                        .get();
                                putUnrecorded(s, put("a" + i, "v").setLease(i));
                                putUnrecorded(s, put("b" + i, "v").setLease(i));
                            }
                            long before = s.revision();
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            int deletes = 0;
                            for (WatchResponse response : watch.take(LEASES)) {
                                deletes += response.getEventsCount();
                            }
                            s.note("keys deleted", deletes);
                            s.note("revisions", s.revision() - before);
                            s.range(all());
                            s.leases();
                        }));
    }

    private static List<Scenario> clients() {
        return List.of(
                scenario(
                        265,
                        "clients that count with compare and swap lose no step",
                        s -> {
                            s.put("n", "0");
                            List<Thread> clients = new ArrayList<>();
                            for (int i = 0; i < CLIENTS; i++) {
                                clients.add(new Thread(() -> count(s.unrecorded()), "client"));
                            }
                            clients.forEach(Thread::start);
                            for (Thread client : clients) {
                                client.join();
                            }
                            s.range(get("n"));
                        }));
    }

    private static void count(Wire wire) {
        for (int i = 0; i < INCREMENTS; ) {
            RangeResponse now = wire.call(KVGrpc.getRangeMethod(), get("n").build()).get();
            long next = Long.parseLong(now.getKvs(0).getValue().toStringUtf8()) + 1;
            Txn swap =
                    when(modified("n", EQUAL, now.getKvs(0).getModRevision()))
                            .then(put("n", "" + next));
            if (wire.call(KVGrpc.getTxnMethod(), swap.build()).get().getSucceeded()) {
                i++;
            }
        }
    }

    private static String untilCancelled(Session s, WatchStream watch) throws InterruptedException {
        long last = 0;
        for (WatchResponse r = watch.poll(10_000); r != null; r = watch.poll(10_000)) {
            if (r.getCanceled()) {
                boolean exact = r.getCompactRevision() == s.revision() - 1;
                return "cancelled, the compacted revision is " + (exact ? "right" : "wrong");
            }
            for (Event event : r.getEventsList()) {
                long revision = event.getKv().getModRevision();
                if (last != 0 && revision != last + 1) {
                    s.note("not the revision after " + last, event);
                }
                last = revision;
            }
        }
        return "nothing: the last revision it saw is " + last;
    }

    private static void fill(Session s, int count) {
        for (int i = 0; i < count; i++) {
            putUnrecorded(s, put(String.format("k%04d", i), "v" + i));
        }
    }

    private static void putUnrecorded(Session s, PutRequest.Builder put) {
        s.unrecorded().call(KVGrpc.getPutMethod(), put.build()).get();
    }
}
