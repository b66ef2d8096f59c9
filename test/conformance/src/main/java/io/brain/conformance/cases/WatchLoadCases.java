package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.bytes;
import static io.brain.conformance.script.Requests.large;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Watch streams under load: many watchers, many writers, slow readers. */
final class WatchLoadCases {

    private static final int WRITERS = 8;
    private static final int PUTS_PER_WRITER = 50;

    /** More bytes than a stream's window, and more than the transports' buffers hold. */
    private static final int STALLED_PUTS = 300;

    private static final int STALLED_BYTES = 25_000;

    private WatchLoadCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(crowds(), slow()).flatMap(List::stream).toList();
    }

    private static List<Scenario> crowds() {
        return List.of(
                scenario(
                        91,
                        "two thousand watchers of one key on one stream all see one put",
                        s -> {
                            WatchStream watch = s.watch();
                            for (int i = 0; i < 2000; i++) {
                                watch.send(
                                        WatchRequest.newBuilder()
                                                .setCreateRequest(watch("a"))
                                                .build());
                            }
                            watch.expect(2000);
                            s.put("a", "1");
                            watch.expectOfSeveral(2000);
                            watch.expectNothing();
                        }),
                scenario(
                        92,
                        "writers at once: each revision is one response, in order, without a gap",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            long before = s.revision();
                            List<Thread> writers = new ArrayList<>();
                            for (int i = 0; i < WRITERS; i++) {
                                writers.add(new Thread(() -> write(s), "writer"));
                            }
                            writers.forEach(Thread::start);
                            for (Thread writer : writers) {
                                writer.join();
                            }
                            long expected = before;
                            for (WatchResponse live : watch.take(WRITERS * PUTS_PER_WRITER)) {
                                expected++;
                                boolean exact =
                                        live.getEventsCount() == 1
                                                && live.getHeader().getRevision() == expected
                                                && live.getEvents(0).getKv().getModRevision()
                                                        == expected;
                                if (!exact) {
                                    s.note("not the only event of " + expected, live);
                                }
                            }
                            s.note("last revision seen", expected - before);
                            s.note("last revision", s.revision() - before);
                        }));
    }

    private static List<Scenario> slow() {
        return List.of(
                scenario(
                        236,
                        "a client that does not read holds nobody up and misses nothing",
                        s -> {
                            WatchStream stalled = s.watch();
                            stalled.create(watchAll());
                            stalled.stall();
                            for (int i = 0; i < STALLED_PUTS; i++) {
                                s.unrecorded()
                                        .call(
                                                KVGrpc.getPutMethod(),
                                                put("a", large(STALLED_BYTES)).build())
                                        .get();
                            }
                            WatchStream other = s.watch();
                            other.create(watch("b"));
                            s.put("b", "1");
                            other.expect(1);
                            stalled.resume();
                            s.note("revisions seen", consecutive(s, stalled, STALLED_PUTS + 1));
                        }));
    }

    private static void write(Session s) {
        for (int i = 0; i < PUTS_PER_WRITER; i++) {
            s.unrecorded().call(KVGrpc.getPutMethod(), put("a", bytes("v")).build()).get();
        }
    }

    /** How many revisions came without a gap or a repetition, up to that many. */
    private static long consecutive(Session s, WatchStream watch, int wanted)
            throws InterruptedException {
        long last = 0;
        int seen = 0;
        while (seen < wanted) {
            WatchResponse response = watch.poll(30_000);
            if (response == null) {
                break;
            }
            for (Event event : response.getEventsList()) {
                long revision = event.getKv().getModRevision();
                if (last != 0 && revision != last + 1) {
                    s.note("not the revision after " + last, event);
                }
                last = revision;
                seen++;
            }
        }
        return seen;
    }
}
