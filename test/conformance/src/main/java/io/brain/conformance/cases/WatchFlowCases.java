package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.large;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.WatchCreateRequest.FilterType;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Watch streams over time: progress, fragments, ends. */
final class WatchFlowCases {

    private WatchFlowCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(requested(), periodic(), fragments(), streams())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> requested() {
        return List.of(
                scenario(
                        81,
                        "progress is answered once for the stream when all watchers are up to date",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a"));
                            watch.create(watch("b"));
                            s.put("unrelated", "1");
                            watch.progress();
                            watch.expect(1);
                            s.put("a", "1");
                            watch.progress();
                            watch.expect(2);
                            watch.expectNothing();
                        }),
                scenario(
                        82,
                        "progress is not answered for a future watcher, nor without watchers",
                        s -> {
                            WatchStream none = s.watch();
                            none.progress();
                            none.expectNothing();
                            WatchStream next = s.watch();
                            next.create(watch("a").setStartRevision(s.revision() + 1));
                            next.progress();
                            next.expectNothing();
                            WatchStream future = s.watch();
                            future.create(watch("a"));
                            future.create(watch("a").setStartRevision(s.revision() + 10));
                            future.progress();
                            future.expectNothing();
                            s.put("b", "1");
                            next.progress();
                            next.expect(1);
                        }),
                scenario(
                        83,
                        "progress asked for during a replay does not overtake it",
                        s -> {
                            s.put("a", "1");
                            WatchStream watch = s.watch();
                            watch.request(watch("a").setStartRevision(s.revision()));
                            watch.progress();
                            watch.expect(2);
                            // Whether it is answered depends on how soon the replay is done.
                            watch.drain();
                            watch.progress();
                            watch.expect(1);
                        }),
                scenario(
                        233,
                        "progress after the last watcher's end is not answered",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a"));
                            watch.cancel(0);
                            watch.expect(1);
                            watch.progress();
                            watch.expectNothing();
                        }));
    }

    private static List<Scenario> periodic() {
        return List.of(
                scenario(
                                86,
                                "idle watchers that want it are told the revision now and then",
                                s -> {
                                    WatchStream watch = s.watch();
                                    watch.create(watch("a").setProgressNotify(true));
                                    watch.create(watch("b").setProgressNotify(true));
                                    watch.create(watch("c"));
                                    s.put("unrelated", "1");
                                    watch.expectOfSeveral(2);
                                    s.put("a", "1");
                                    List<WatchResponse> next = watch.take(2);
                                    s.note("first its event", shape(next.get(0)));
                                    s.note("then the idle one's progress", shape(next.get(1)));
                                })
                        .onFreshServer("--watch-progress-notify-interval=1s")
                        // Each put must come between two ticks, which are a second apart.
                        .leftToChance(),
                scenario(
                                234,
                                "no progress for future watchers, filtered events do not count",
                                s -> {
                                    WatchStream watch = s.watch();
                                    watch.create(
                                            watch("a")
                                                    .setProgressNotify(true)
                                                    .setStartRevision(100));
                                    watch.create(
                                            watch("b")
                                                    .setProgressNotify(true)
                                                    .addFilters(FilterType.NOPUT));
                                    s.put("b", "1");
                                    // Ticks before the put may show the revision before it.
                                    WatchResponse progress = watch.take(1).get(0);
                                    while (progress.getHeader().getRevision() < 2) {
                                        progress = watch.take(1).get(0);
                                    }
                                    s.note("the one that may", shape(progress));
                                })
                        .onFreshServer("--watch-progress-notify-interval=400ms"));
    }

    private static List<Scenario> fragments() {
        return List.of(
                scenario(
                                87,
                                "a large response comes in fragments to those who take them",
                                s -> {
                                    long before = s.revision();
                                    for (int i = 0; i < 5; i++) {
                                        s.put(put("a" + i, large(700 * 1024)));
                                    }
                                    WatchStream pieces = s.watch();
                                    pieces.create(
                                            watchAll()
                                                    .setStartRevision(before + 1)
                                                    .setFragment(true));
                                    pieces.expect(3);
                                    WatchStream whole = s.watch();
                                    whole.create(watchAll().setStartRevision(before + 1));
                                    whole.expect(1);
                                })
                        // etcd notes that a watcher wants fragments when it may be served already.
                        .leftToChance(),
                scenario(
                        235,
                        "one revision's events may be fragmented, and previous keys count",
                        s -> {
                            s.put(put("a", large(700 * 1024)));
                            s.put(put("b", large(700 * 1024)));
                            s.put(put("c", large(700 * 1024)));
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setFragment(true).setPrevKv(true));
                            watch.create(watchAll().setFragment(true));
                            s.delete(delete("a", "d"));
                            watch.expectOfSeveral(3);
                            watch.expectNothing();
                        }));
    }

    private static List<Scenario> streams() {
        return List.of(
                scenario(
                                237,
                                "a stream with a deadline ends at it; the server goes on",
                                s -> {
                                    WatchStream watch =
                                            s.watch(
                                                    new Metadata(),
                                                    CallOptions.DEFAULT.withDeadlineAfter(
                                                            700, TimeUnit.MILLISECONDS));
                                    watch.create(watch("a"));
                                    s.put("a", "1");
                                    watch.expect(1);
                                    WatchStream other = s.watch();
                                    other.create(watch("a"));
                                    Thread.sleep(700);
                                    s.put("a", "2");
                                    other.expect(1);
                                })
                        // The first event must come before the deadline.
                        .leftToChance(),
                scenario(
                        238,
                        "a cancelled stream ends cancelled; its watchers are gone",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a"));
                            watch.close();
                            watch.expectEnd();
                            s.put("a", "1");
                            WatchStream next = s.watch();
                            next.create(watch("a"));
                            s.put("a", "2");
                            next.expect(1);
                        }),
                scenario(
                        239,
                        "asking for a leader changes nothing while there is one",
                        s -> {
                            Metadata leader = new Metadata();
                            leader.put(
                                    Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER),
                                    "true");
                            WatchStream watch = s.watch(leader, CallOptions.DEFAULT);
                            watch.create(watch("a").setPrevKv(true).setProgressNotify(true));
                            s.put("a", "1");
                            watch.expect(1);
                        }),
                scenario(
                        240,
                        "a live watcher is not cancelled by a compaction",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watch("a").setPrevKv(true));
                            s.put("a", "1");
                            watch.expect(1);
                            s.put("b", "1");
                            s.compact(compact(s.revision()).setPhysical(true));
                            s.put("a", "2");
                            watch.expect(1);
                            s.txn(txn(delete("a"), delete("b", ZERO)));
                            watch.expect(1);
                        }));
    }

    private static String shape(WatchResponse response) {
        return "watcher "
                + response.getWatchId()
                + ", revision "
                + response.getHeader().getRevision()
                + ", events "
                + response.getEventsCount();
    }
}
