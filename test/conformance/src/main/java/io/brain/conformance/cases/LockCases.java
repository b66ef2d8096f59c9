package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.bytes;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import com.google.protobuf.ByteString;
import io.brain.conformance.script.Exchange;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.lock.LockGrpc;
import io.brain.proto.lock.LockRequest;
import io.brain.proto.lock.LockResponse;
import io.brain.proto.lock.UnlockRequest;
import java.util.List;
import java.util.stream.Stream;

/** v3lock. Lease 77 is 4d in a key, 78 is 4e, 79 is 4f. */
final class LockCases {

    private LockCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(alone(), waiting(), lost())
                .flatMap(List::stream)
                // A waiter must be in line when the server has been quiet for a moment.
                .map(Scenario::leftToChance)
                .toList();
    }

    private static List<Scenario> alone() {
        return List.of(
                scenario(
                        330,
                        "a lock is a key with a lease; the same lease locks it again",
                        s -> {
                            s.grant(lease(77, 600));
                            lock(s, "a", 77);
                            s.range(all());
                            lock(s, "a", 77);
                            s.timeToLive(77);
                            unlock(s, "a/4d");
                            s.range(all());
                            unlock(s, "a/4d");
                            lock(s, "a", 77);
                            s.revoke(77);
                            s.range(all());
                        }),
                scenario(
                        331,
                        "a lock without a lease gets one of 60 seconds",
                        s -> {
                            LockRequest request = request("a", 0);
                            ByteString key =
                                    s.call(LockGrpc.getLockMethod(), request).get().getKey();
                            s.range(all());
                            s.leases();
                            s.call(
                                    LockGrpc.getUnlockMethod(),
                                    UnlockRequest.newBuilder().setKey(key).build());
                            s.range(all());
                            s.leases();
                        }),
                scenario(
                        332,
                        "what cannot be locked or unlocked",
                        s -> {
                            lock(s, "a", 77);
                            lock(s, "a", -77);
                            lock(s, "a", Long.MIN_VALUE);
                            lock(s, "", 77);
                            unlock(s, "");
                            unlock(s, "never");
                            s.put("a", "1");
                            unlock(s, "a");
                            s.range(all());
                            s.call(
                                    LockGrpc.getLockMethod(),
                                    LockRequest.newBuilder()
                                            .setName(Requests.large(2_000_000))
                                            .build());
                            s.raw("v3lockpb.Lock/Lock");
                            s.raw("v3lockpb.Lock/Lock", new byte[] {1});
                            s.raw("v3lockpb.Lock/Nope", new byte[0]);
                        }),
                scenario(
                        333,
                        "names may be empty, binary, prefixes of each other",
                        s -> {
                            s.grant(lease(77, 600));
                            s.grant(lease(-78, 600));
                            lock(s, "", 77);
                            lock(s, "\u00ff\u00ff", 77);
                            lock(s, "\0", -78);
                            lock(s, "p/q", 77);
                            Exchange<LockRequest, LockResponse> waits = start(s, "p", -78);
                            waits.expectNothing();
                            s.range(all());
                            unlock(s, "p/q/4d");
                            waits.expect(1);
                            waits.expectEnd();
                        }),
                scenario(
                        334,
                        "no lock without space, or with a corrupt store",
                        s -> {
                            s.grant(lease(77, 600));
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE);
                            lock(s, "a", 77);
                            lock(s, "a", 0);
                            unlock(s, "a/4d");
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE);
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.CORRUPT);
                            lock(s, "a", 77);
                            unlock(s, "a/4d");
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.CORRUPT);
                        }));
    }

    private static List<Scenario> waiting() {
        return List.of(
                scenario(
                        335,
                        "waiters lock in the order in which they came",
                        s -> {
                            grantThree(s);
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> second = start(s, "a", 78);
                            second.expectNothing();
                            Exchange<LockRequest, LockResponse> third = start(s, "a", 79);
                            third.expectNothing();
                            s.put("other", "1");
                            s.put("a/4d", "changed");
                            second.expectNothing();
                            s.range(all());
                            unlock(s, "a/4d");
                            second.expect(1);
                            second.expectEnd();
                            third.expectNothing();
                            s.revoke(78);
                            third.expect(1);
                            third.expectEnd();
                        }),
                scenario(
                        336,
                        "one event for each waiter that goes or follows",
                        s -> {
                            grantThree(s);
                            WatchStream watch = s.watch();
                            watch.create(watchAll());
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> second = start(s, "a", 78);
                            watch.expect(2);
                            Exchange<LockRequest, LockResponse> third = start(s, "a", 79);
                            watch.expect(1);
                            second.close();
                            watch.expect(1);
                            s.range(all());
                            third.expectNothing();
                            unlock(s, "a/4d");
                            third.expect(1);
                            watch.expect(1);
                            watch.expectNothing();
                        }),
                scenario(
                        337,
                        "a waiter that is not the next one sees none of the others go",
                        s -> {
                            grantThree(s);
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> second = start(s, "a", 78);
                            second.expectNothing();
                            Exchange<LockRequest, LockResponse> third = start(s, "a", 79);
                            third.expectNothing();
                            unlock(s, "a/4e");
                            third.expectNothing();
                            unlock(s, "a/4d");
                            second.expectEnd();
                            third.expect(1);
                            s.range(all());
                        }),
                scenario(
                        338,
                        "two calls with one lease share the key",
                        s -> {
                            grantThree(s);
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> one = start(s, "a", 78);
                            one.expectNothing();
                            Exchange<LockRequest, LockResponse> two = start(s, "a", 78);
                            two.expectNothing();
                            s.range(all());
                            unlock(s, "a/4d");
                            one.expect(1);
                            two.expect(1);
                            s.range(all());
                        }));
    }

    private static List<Scenario> lost() {
        return List.of(
                scenario(
                        339,
                        "a waiter whose lease ends, or whose key is deleted, learns it at its turn",
                        s -> {
                            grantThree(s);
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> second = start(s, "a", 78);
                            second.expectNothing();
                            s.revoke(78);
                            second.expectNothing();
                            unlock(s, "a/4d");
                            second.expectEnd();
                            s.range(all());
                        }),
                scenario(
                        340,
                        "a waiter survives compactions, and a key that is put again",
                        s -> {
                            grantThree(s);
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> second = start(s, "a", 78);
                            second.expectNothing();
                            s.put("b", "1");
                            s.compact(compact(s.revision()));
                            second.expectNothing();
                            s.txn(Requests.txn(delete("a/4d")).build());
                            second.expect(1);
                            second.expectEnd();
                            s.put(put("a/4d", "later").setLease(79));
                            lock(s, "a", 78);
                            s.range(all());
                        }),
                scenario(
                        341,
                        "an owner's key that is deleted and put again goes to the end",
                        s -> {
                            grantThree(s);
                            lock(s, "a", 77);
                            Exchange<LockRequest, LockResponse> second = start(s, "a", 78);
                            second.expectNothing();
                            Exchange<LockRequest, LockResponse> third = start(s, "a", 79);
                            third.expectNothing();
                            s.delete(delete("a/4d"));
                            second.expect(1);
                            Exchange<LockRequest, LockResponse> first = start(s, "a", 77);
                            first.expectNothing();
                            s.range(all());
                            unlock(s, "a/4e");
                            third.expect(1);
                            first.expectNothing();
                            unlock(s, "a/4f");
                            first.expect(1);
                        }));
    }

    private static void grantThree(Session s) {
        s.grant(lease(77, 600));
        s.grant(lease(78, 600));
        s.grant(lease(79, 600));
    }

    private static void lock(Session s, String name, long lease) {
        s.call(LockGrpc.getLockMethod(), request(name, lease));
    }

    private static void unlock(Session s, String key) {
        s.call(LockGrpc.getUnlockMethod(), UnlockRequest.newBuilder().setKey(bytes(key)).build());
    }

    /** Starts a call that may wait. */
    private static Exchange<LockRequest, LockResponse> start(Session s, String name, long lease) {
        Exchange<LockRequest, LockResponse> call = s.exchange(LockGrpc.getLockMethod());
        call.send(request(name, lease));
        call.halfClose();
        return call;
    }

    private static LockRequest request(String name, long lease) {
        return LockRequest.newBuilder().setName(bytes(name)).setLease(lease).build();
    }
}
