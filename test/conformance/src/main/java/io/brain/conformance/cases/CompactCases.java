package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import java.util.List;
import java.util.stream.Stream;

/** Compaction. */
final class CompactCases {

    private CompactCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(requests(), reads(), restarts()).flatMap(List::stream).toList();
    }

    private static List<Scenario> requests() {
        return List.of(
                scenario(
                                64,
                                "future, compacted and negative revisions are refused",
                                s -> {
                                    s.compact(compact(-1));
                                    s.put("a", "1");
                                    s.put("a", "2");
                                    s.compact(compact(4));
                                    s.compact(compact(2));
                                    s.compact(compact(2));
                                    s.compact(compact(1));
                                    s.compact(compact(-1));
                                    s.compact(compact(Long.MAX_VALUE));
                                    s.compact(compact(Long.MIN_VALUE));
                                })
                        .onFreshServer(),
                scenario(
                                65,
                                "revision 0 can be compacted once, before any other",
                                s -> {
                                    s.compact(compact(0));
                                    s.compact(compact(0));
                                    s.range(get("a").setRevision(1));
                                    s.put("a", "1");
                                    s.compact(compact(2));
                                    s.compact(compact(0));
                                })
                        .onFreshServer(),
                scenario(
                        68,
                        "a compaction answers with the present revision and makes no event",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            s.put("a", "1");
                            s.put("a", "2");
                            watch.expect(2);
                            long last = s.revision();
                            s.compact(compact(last - 1));
                            watch.expectNothing();
                            s.compact(compact(last).setPhysical(true));
                            watch.expectNothing();
                            s.range(get("a"));
                        }),
                scenario(
                        224,
                        "a compaction needs no writes in between, and may be physical",
                        s -> {
                            for (int i = 0; i < 6; i++) {
                                s.put("a", "" + i);
                            }
                            long last = s.revision();
                            for (long revision = last - 5; revision <= last; revision++) {
                                s.compact(compact(revision).setPhysical(revision % 2 == 0));
                                s.range(get("a").setRevision(revision));
                                s.range(get("a").setRevision(revision - 1));
                            }
                            s.compact(compact(last + 1).setPhysical(true));
                            s.compact(compact(last).setPhysical(true));
                        }));
    }

    private static List<Scenario> reads() {
        return List.of(
                scenario(
                        66,
                        "what is newest stays readable after compacting everything",
                        s -> {
                            s.put("a", "1");
                            s.put("a", "2");
                            s.put("b", "1");
                            long last = s.revision();
                            s.compact(compact(last).setPhysical(true));
                            s.range(all());
                            s.range(all().setRevision(last));
                            s.range(all().setRevision(last - 1));
                            s.txn(txn(all().setRevision(last)));
                            s.txn(txn(put("c", "1"), all().setRevision(last - 1)));
                            s.range(get("c"));
                        }),
                scenario(
                        67,
                        "a watch from a compacted deletion still sees it",
                        s -> {
                            s.put("a", "1");
                            s.delete(delete("a"));
                            long deleted = s.revision();
                            s.compact(compact(deleted).setPhysical(true));
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setStartRevision(deleted).setPrevKv(true));
                            watch.expect(1);
                            s.put("b", "1");
                            s.compact(compact(deleted + 1).setPhysical(true));
                            WatchStream later = s.watch();
                            later.create(watchAll().setStartRevision(deleted + 1));
                            later.expect(1);
                            later.expectNothing();
                        }),
                scenario(
                        225,
                        "after compaction every key has its newest version and no older one",
                        s -> {
                            churn(s);
                            long last = s.revision();
                            s.compact(compact(last - 4).setPhysical(true));
                            for (long revision = last - 5; revision <= last; revision++) {
                                s.range(all().setRevision(revision));
                                s.range(all().setRevision(revision).setCountOnly(true));
                            }
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setStartRevision(last - 4).setPrevKv(true));
                            watch.expect(1);
                        }));
    }

    private static List<Scenario> restarts() {
        return List.of(
                scenario(
                                69,
                                "killed after compacting the last revision, the store keeps it",
                                s -> {
                                    s.put("a", "1");
                                    s.delete(delete("a"));
                                    s.compact(compact(s.revision()).setPhysical(true));
                                    s.killAndRestart();
                                    s.range(all());
                                    s.range(all().setRevision(2));
                                    s.put("a", "2");
                                    s.range(get("a"));
                                })
                        .onFreshServer(),
                scenario(
                                226,
                                "revisions, versions and the compacted revision outlive a restart",
                                s -> {
                                    churn(s);
                                    long last = s.revision();
                                    s.compact(compact(last - 3));
                                    s.killAndRestart();
                                    s.range(all());
                                    s.range(all().setRevision(last - 3));
                                    s.range(all().setRevision(last - 4));
                                    s.compact(compact(last - 3));
                                    WatchStream watch = s.watch();
                                    watch.create(
                                            watchAll().setStartRevision(last - 3).setPrevKv(true));
                                    watch.expect(1);
                                    s.put("a", "after");
                                    watch.expect(1);
                                    s.restart();
                                    s.range(all());
                                    s.range(all().setRevision(last));
                                })
                        .onFreshServer());
    }

    private static void churn(Session s) {
        for (int round = 0; round < 3; round++) {
            s.put("a", "" + round);
            s.put("b", "" + round);
            s.delete(delete("a"));
            s.txn(txn(put("c", "" + round), put("d" + round, "")));
        }
    }
}
