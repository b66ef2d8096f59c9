package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.WatchRequest;
import java.util.List;
import java.util.stream.Stream;

/** Watchers: how they begin, what they are sent, how they end. */
final class WatchCases {

    private WatchCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(ids(), refusals(), starts(), ends()).flatMap(List::stream).toList();
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
                                s.unrecorded()
                                        .call(KVGrpc.getPutMethod(), put("a", "v" + i).build());
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
