package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.WatchCreateRequest.FilterType;
import io.brain.proto.etcd.WatchRequest;
import java.util.List;
import java.util.stream.Stream;

/** Watchers: how they begin, what they are sent, how they end. */
final class WatchCases {

    private WatchCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(ids(), refusals(), starts(), events(), previous(), filters(), ends())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> ids() {
        return List.of(
                scenario(
                        70,
                        "watchers are numbered from 0; numbers of clients' choice are skipped",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a"));
                            watch.create(watch("a"));
                            watch.create(watch("a").setWatchId(5));
                            watch.create(watch("a"));
                            watch.cancel(2);
                            watch.expect(1);
                            watch.create(watch("a"));
                            watch.create(watch("a"));
                            watch.create(watch("a"));
                            watch.cancel(5);
                            watch.expect(1);
                            watch.create(watch("a").setWatchId(5));
                            watch.create(watch("a").setWatchId(-7));
                            watch.create(watch("a").setWatchId(Long.MAX_VALUE));
                        }),
                scenario(
                        71,
                        "a number that is in use is refused",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setWatchId(3));
                            watch.create(watch("b").setWatchId(3));
                            watch.create(watch("a"));
                            s.put("a", "1");
                            watch.expectOfSeveral(2);
                        }),
                scenario(
                        227,
                        "each stream numbers its own watchers",
                        s -> {
                            WatchStream one = s.watch();
                            WatchStream two = s.watch();
                            one.create(watch("a"));
                            two.create(watch("a"));
                            one.create(watch("b"));
                            s.put("b", "1");
                            one.expect(1);
                            two.expectNothing();
                        }));
    }

    private static List<Scenario> refusals() {
        return List.of(
                scenario(
                        72,
                        "an empty range cannot be watched",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("b", "a"));
                            watch.create(watch("b", "b"));
                            watch.create(watch("b", "a").setWatchId(9));
                            watch.create(watch("b", "c"));
                            s.put("b", "1");
                            watch.expect(1);
                        }),
                scenario(
                        73,
                        "a negative start is refused as compacted",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(-1));
                            watch.create(watch("a").setStartRevision(Long.MIN_VALUE));
                            watch.create(watch("b", "a").setStartRevision(-1));
                        }),
                scenario(
                        74,
                        "a start below the compacted revision is created, then cancelled",
                        s -> {
                            compactedAtSecondOfThree(s);
                            long compacted = s.revision() - 1;
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(compacted - 1));
                            watch.expect(1);
                            watch.create(watch("a").setStartRevision(1).setWatchId(4));
                            watch.expect(1);
                            s.put("a", "4");
                            watch.expectNothing();
                        }),
                scenario(
                        228,
                        "a request without a kind, and unknown filters, are no matter",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.send(WatchRequest.getDefaultInstance());
                            watch.create(watch("a").addFiltersValue(7).addFiltersValue(-1));
                            s.put("a", "1");
                            watch.expect(1);
                        }));
    }

    private static List<Scenario> starts() {
        return List.of(
                scenario(
                        75,
                        "a start at or after the compacted revision works",
                        s -> {
                            compactedAtSecondOfThree(s);
                            long compacted = s.revision() - 1;
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(compacted).setPrevKv(true));
                            watch.expect(1);
                            watch.create(
                                    watch("a").setStartRevision(compacted + 1).setPrevKv(true));
                            watch.expect(1);
                        }),
                scenario(
                        78,
                        "history comes in one response under the present revision",
                        s -> {
                            s.put("a", "1");
                            long first = s.revision();
                            s.put("a", "2");
                            s.put("b", "unrelated");
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(first));
                            watch.expect(1);
                            s.put("a", "3");
                            watch.expect(1);
                        }),
                scenario(
                        79,
                        "long history comes in responses of a thousand revisions",
                        s -> {
                            long before = s.revision();
                            for (int i = 0; i < 1500; i++) {
                                s.unnoted().call(KVGrpc.getPutMethod(), put("a", "v" + i).build());
                            }
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(before + 1));
                            watch.expect(2);
                            watch.expectNothing();
                        }),
                scenario(
                        88,
                        "an empty key is the lowest key, or with an open end, every key",
                        s -> {
                            WatchStream lowest = s.watch();
                            lowest.create(watch(""));
                            WatchStream every = s.watch();
                            every.create(watch("", ZERO));
                            WatchStream below = s.watch();
                            below.create(watch("", "b"));
                            s.put("a", "1");
                            s.put(ZERO, "2");
                            s.put("c", "3");
                            lowest.expect(1);
                            lowest.expectNothing();
                            every.expect(3);
                            below.expect(2);
                        }),
                scenario(
                        229,
                        "a start in the future sends nothing before it",
                        s -> {
                            s.put("a", "0");
                            long now = s.revision();
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(now + 1));
                            watch.create(watch("a").setStartRevision(now + 3).setPrevKv(true));
                            watch.create(watch("a").setStartRevision(Long.MAX_VALUE));
                            for (int i = 1; i <= 4; i++) {
                                s.put("a", "" + i);
                            }
                            watch.expectOfSeveral(6);
                            watch.expectNothing();
                        }));
    }

    private static List<Scenario> events() {
        return List.of(
                scenario(
                        76,
                        "a transaction's events come together, in its order, to each watcher",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            watch.create(watch("a"));
                            watch.create(watch("b", ZERO));
                            s.txn(txn(put("b", "1"), put("a", "1"), put("x", "1")));
                            watch.expectOfSeveral(3);
                        }),
                scenario(
                        77,
                        "a deleted range's events come in key order, with little in them",
                        s -> {
                            s.put("c", "3");
                            s.put("a", "1");
                            s.put("b", "2");
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            watch.create(watchAll().setPrevKv(true));
                            s.delete(delete("a", "d"));
                            watch.expectOfSeveral(2);
                        }),
                scenario(
                        230,
                        "leases show in events, and a revoked lease's keys are deletes",
                        s -> {
                            s.grant(lease(77, 600));
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setPrevKv(true));
                            s.put(put("b", "1").setLease(77));
                            s.put(put("a", "1").setLease(77));
                            s.put("b", "2");
                            s.put(put("b", "").setIgnoreValue(true).setLease(77));
                            s.revoke(77);
                            watch.expect(5);
                            watch.expectNothing();
                        }),
                scenario(
                        231,
                        "ranges of binary keys are watched exactly",
                        s -> {
                            String[] keys = {"\0", "$", "%", "a", "a\0", "a$", "a%", "b", "\u00ff"};
                            WatchStream watch = s.watch();
                            watch.create(watch("a", "a%"));
                            watch.create(watch("$", "%"));
                            watch.create(watch("a"));
                            watch.create(watch("\u00ff", ZERO));
                            watch.create(watch("a\0", "b\0"));
                            for (String key : keys) {
                                s.put(key, "v");
                            }
                            s.delete(delete(ZERO, ZERO));
                            watch.expectOfSeveral(3 + 1 + 1 + 1 + 4 + 5);
                            watch.expectNothing();
                        }));
    }

    private static List<Scenario> previous() {
        return List.of(
                scenario(
                        90,
                        "a previous key that is compacted away is absent",
                        s -> {
                            s.put("a", "1");
                            s.put("a", "2");
                            long second = s.revision();
                            s.put("b", "1");
                            s.compact(compact(second).setPhysical(true));
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(second).setPrevKv(true));
                            watch.expect(1);
                        }),
                scenario(
                        232,
                        "previous keys of creations, changes, deletes and re-creations",
                        s -> {
                            long before = s.revision();
                            WatchStream live = s.watch();
                            live.create(watchAll().setPrevKv(true));
                            s.put("a", "1");
                            s.put("a", "2");
                            s.delete(delete("a"));
                            s.put("a", "3");
                            s.txn(txn(put("a", "4"), delete("a", ZERO)));
                            s.txn(txn(put("a", "5"), put("b", "1")));
                            s.txn(txn(delete("a", ZERO), put("a", "6")));
                            live.expect(7);
                            WatchStream replay = s.watch();
                            replay.create(watchAll().setStartRevision(before + 1).setPrevKv(true));
                            replay.expect(1);
                        }));
    }

    private static List<Scenario> filters() {
        return List.of(
                scenario(
                        80,
                        "filters leave puts, deletes, or everything out",
                        s -> {
                            long before = s.revision();
                            WatchStream watch = s.watch();
                            watch.create(watch("a").addFilters(FilterType.NOPUT));
                            watch.create(watch("a").addFilters(FilterType.NODELETE));
                            watch.create(
                                    watch("a")
                                            .addFilters(FilterType.NOPUT)
                                            .addFilters(FilterType.NODELETE));
                            s.put("a", "1");
                            s.delete(delete("a"));
                            s.txn(txn(put("a", "2"), delete("a", ZERO)));
                            watch.expectOfSeveral(4);
                            watch.expectNothing();
                            WatchStream replay = s.watch();
                            replay.create(
                                    watch("a")
                                            .addFilters(FilterType.NOPUT)
                                            .setStartRevision(before + 1)
                                            .setPrevKv(true));
                            replay.expect(1);
                        }));
    }

    private static List<Scenario> ends() {
        return List.of(
                scenario(
                        84,
                        "a watcher is cancelled by its number; an unknown number is ignored",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a"));
                            watch.cancel(0);
                            watch.expect(1);
                            watch.cancel(0);
                            watch.cancel(99);
                            watch.cancel(-1);
                            watch.expectNothing();
                            s.put("a", "1");
                            watch.expectNothing();
                        }),
                scenario(
                        85,
                        "a watcher that compaction cancelled holds up progress until cancelled",
                        s -> {
                            compactedAtSecondOfThree(s);
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(s.revision() - 2));
                            watch.expect(1);
                            watch.create(watch("a"));
                            watch.progress();
                            watch.expectNothing();
                            watch.create(watch("a").setWatchId(0).setStartRevision(1));
                            watch.expect(1);
                            watch.cancel(0);
                            watch.expect(1);
                            watch.cancel(2);
                            watch.expect(1);
                            watch.progress();
                            watch.expect(1);
                        }),
                scenario(
                        89,
                        "after the client's last request events still come",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a"));
                            watch.halfClose();
                            s.put("a", "1");
                            s.range(get("a"));
                            watch.expect(1);
                        }));
    }

    private static void compactedAtSecondOfThree(Session s) {
        s.put("a", "1");
        s.put("a", "2");
        s.put("a", "3");
        s.compact(compact(s.revision() - 1).setPhysical(true));
    }
}
