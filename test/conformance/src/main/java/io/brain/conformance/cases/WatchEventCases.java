package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.WatchCreateRequest.FilterType;
import java.util.List;
import java.util.stream.Stream;

/** What the events of watchers hold. */
final class WatchEventCases {

    private WatchEventCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(events(), previous(), filters()).flatMap(List::stream).toList();
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
}
