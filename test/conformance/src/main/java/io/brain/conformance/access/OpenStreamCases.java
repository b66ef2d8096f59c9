package io.brain.conformance.access;

import static io.brain.conformance.access.AuthCases.ALICE;
import static io.brain.conformance.access.AuthCases.allowed;
import static io.brain.conformance.access.AuthCases.setUp;
import static io.brain.conformance.access.Callers.NOBODY;
import static io.brain.conformance.access.UserCalls.ROOT;
import static io.brain.conformance.access.UserCalls.password;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;

import io.brain.conformance.script.Exchange;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.grpc.CallOptions;
import java.util.List;

/** Watches, leases and keep-alives whose permissions change while they last. */
final class OpenStreamCases {
    private static final String BOB = "bob";
    private static final Permission A_TO_C = allowed(Permission.Type.READWRITE, "a", "c");

    private OpenStreamCases() {}

    static void watches(Callers c, Session s) throws InterruptedException {
        setUp(c);
        UserCalls.grant("r", A_TO_C).by(ROOT, c);
        c.login(ALICE, password(ALICE));
        WatchStream watch = s.watch(c.metadata(ALICE), CallOptions.DEFAULT);
        watch.create(Requests.watch("a", "c").setPrevKv(true).setWatchId(1));
        c.call(ROOT, KVGrpc.getPutMethod(), put("a", "0").build());
        watch.expect(1);
        int round = 1;
        for (Call<?, ?> change :
                List.of(
                        UserCalls.revoke("r", A_TO_C),
                        UserCalls.grant("r", A_TO_C),
                        UserCalls.revokeRole(ALICE, "r"),
                        UserCalls.grantRole(ALICE, "r"),
                        UserCalls.deleteRole("r"),
                        UserCalls.changePassword(ALICE, "new"),
                        UserCalls.deleteUser(ALICE),
                        UserCalls.disable())) {
            change.by(ROOT, c);
            goesOn(c, watch, round++);
        }
        UserCalls.enable().by(NOBODY, c);
        c.login(ROOT, password(ROOT));
        goesOn(c, watch, round);
        watch.progress();
        watch.expect(1);
        watch.cancel(1);
        watch.expect(1);
        c.call(ROOT, KVGrpc.getPutMethod(), put("a", "last").build());
        watch.expectNothing();
    }

    /** What the open watcher sees, and how a new one on the same stream fares. */
    private static void goesOn(Callers c, WatchStream watch, int round)
            throws InterruptedException {
        c.call(ROOT, KVGrpc.getPutMethod(), put("a", "round " + round).build());
        watch.expect(1);
        c.call(ROOT, KVGrpc.getDeleteRangeMethod(), delete("a").build());
        watch.expect(1);
        long another = 100L + round;
        boolean created =
                !watch.create(Requests.watch("b").setWatchId(another).setStartRevision(1))
                        .getCanceled();
        if (created) {
            watch.cancel(another);
            watch.expect(1);
        }
    }

    private static void twoOwners(Callers c) {
        setUp(c);
        UserCalls.addUser(BOB, password(BOB)).by(ROOT, c);
        UserCalls.addRole("s").by(ROOT, c);
        UserCalls.grantRole(BOB, "s").by(ROOT, c);
        UserCalls.grant("r", allowed(Permission.Type.READWRITE, "a", "")).by(ROOT, c);
        UserCalls.grant("s", allowed(Permission.Type.READWRITE, "b", "")).by(ROOT, c);
        for (String user : List.of(ROOT, ALICE, BOB)) {
            c.login(user, password(user));
        }
        for (long id : List.of(7L, 8L, 9L)) {
            c.call(ALICE, LeaseGrpc.getLeaseGrantMethod(), lease(id, 600).build());
        }
    }

    static void leases(Callers c, Session s) {
        twoOwners(c);
        var put = KVGrpc.getPutMethod();
        c.call(ALICE, put, put("a", "1").setLease(7).build());
        c.call(BOB, put, put("b", "1").setLease(7).build());
        c.call(ROOT, put, put("b", "1").setLease(7).build());
        for (String user : List.of(ALICE, BOB)) {
            String own = user.equals(ALICE) ? "a" : "b";
            c.call(user, put, put(own, "2").setLease(7).build());
            c.call(user, put, put(own, "3").setIgnoreLease(true).build());
            c.call(user, put, put(own, "").setIgnoreValue(true).setLease(7).build());
            c.call(user, KVGrpc.getTxnMethod(), txn(put(own, "4").setLease(7)).build());
            c.call(
                    user,
                    KVGrpc.getTxnMethod(),
                    txn(txn(put(own, "5").setLease(7)).nested()).build());
            c.call(user, KVGrpc.getRangeMethod(), get(own).build());
            see(c, user);
        }
        c.call(NOBODY, put, put("a", "1").setLease(7).build());
        revoke(c, ALICE, 7);
        revoke(c, BOB, 7);
        // Without its lease, a key is nobody's concern any more.
        c.call(BOB, put, put("b", "6").build());
        see(c, ALICE);
        c.call(ALICE, put, put("a", "7").setLease(7).build());
        c.call(ALICE, put, put("a", "8").setLease(8).build());
        see(c, BOB);
        revoke(c, BOB, 7);
        c.call(ROOT, put, put("b", "9").setLease(8).build());
        revoke(c, ALICE, 8);
        c.call(BOB, KVGrpc.getDeleteRangeMethod(), delete("b").build());
        UserCalls.revoke("r", allowed(Permission.Type.READWRITE, "a", "")).by(ROOT, c);
        revoke(c, ALICE, 8);
        see(c, ALICE);
        revoke(c, ROOT, 8);
        c.call(ROOT, KVGrpc.getRangeMethod(), Requests.all().build());
    }

    private static void see(Callers c, String user) {
        for (long id : List.of(7L, 8L)) {
            c.call(
                    user,
                    LeaseGrpc.getLeaseTimeToLiveMethod(),
                    LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(true).build());
        }
        c.call(user, LeaseGrpc.getLeaseLeasesMethod(), LeaseLeasesRequest.getDefaultInstance());
    }

    private static void revoke(Callers c, String user, long id) {
        c.call(
                user,
                LeaseGrpc.getLeaseRevokeMethod(),
                LeaseRevokeRequest.newBuilder().setID(id).build());
    }

    static void keepAlives(Callers c, Session s) throws InterruptedException {
        twoOwners(c);
        c.call(ALICE, KVGrpc.getPutMethod(), put("a", "1").setLease(7).build());
        for (String user : List.of(ROOT, ALICE, BOB, "forger", NOBODY)) {
            once(c, s, user, 7);
            once(c, s, user, 9);
            once(c, s, user, 99);
        }
        Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> open =
                s.keepAlive(c.metadata(ALICE));
        renew(open, 7);
        open.expect(1);
        c.call(ROOT, KVGrpc.getPutMethod(), put("b", "1").setLease(7).build());
        renew(open, 8);
        open.expect(1);
        renew(open, 7);
        open.expectEnd();
        once(c, s, ALICE, 7);
        c.call(BOB, KVGrpc.getPutMethod(), put("b", "2").build());
        once(c, s, ALICE, 7);
        open = s.keepAlive(c.metadata(ALICE));
        renew(open, 7);
        open.expect(1);
        UserCalls.revoke("r", allowed(Permission.Type.READWRITE, "a", "")).by(ROOT, c);
        renew(open, 9);
        open.expect(1);
        renew(open, 7);
        open.expectEnd();
        UserCalls.deleteUser(ALICE).by(ROOT, c);
        once(c, s, ALICE, 9);
        UserCalls.disable().by(ROOT, c);
        once(c, s, ALICE, 7);
    }

    private static void once(Callers c, Session s, String user, long id)
            throws InterruptedException {
        s.note(user + " renews", id);
        Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> stream =
                s.keepAlive(c.metadata(user));
        renew(stream, id);
        stream.halfClose();
        stream.expectEnd();
        LeaseKeepAliveResponse answer = stream.poll(0);
        s.note("answer", answer == null ? "none" : answer);
    }

    private static void renew(
            Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> stream, long id) {
        stream.send(LeaseKeepAliveRequest.newBuilder().setID(id).build());
    }
}
