package io.brain.conformance.access;

import static io.brain.conformance.access.Callers.NOBODY;
import static io.brain.conformance.access.UserCalls.ROOT;
import static io.brain.conformance.access.UserCalls.password;
import static io.brain.conformance.script.Requests.bytes;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;

import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.Compare.CompareResult;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import java.util.List;
import java.util.Random;

/** Users, roles, permissions and tokens, case by case. */
public final class AuthCases {
    private static final String CHEAP_PASSWORDS = "--bcrypt-cost=4";
    static final String ALICE = "alice";
    private static final int RANDOM_CALLS = 60;

    private AuthCases() {}

    /** All of them; each starts fresh servers. */
    public static List<Scenario> scenarios() {
        return List.of(
                fresh(301, "users, roles and permissions are managed", UserCases::manage),
                fresh(302, "root's rules, and turning it on and off", UserCases::root),
                fresh(303, "who may make which call", AuthCases::everyCall),
                fresh(304, "tokens and the headers they come in", UserCases::tokens),
                fresh(305, "a transaction is checked as a whole", AuthCases::transactions),
                fresh(306, "a lease belongs to those who may write its keys", AuthCases::leases),
                fresh(307, "watchers see what their user may read", AuthCases::watches),
                fresh(308, "alarms open nothing", AuthCases::alarms),
                fresh(309, "users and tokens after a restart", AuthCases::restart),
                fresh(310, "ranges of permissions are merged", AuthCases::merged),
                fresh(311, "a watch outlives what permitted it", OpenStreamCases::watches),
                fresh(312, "a lease whose keys belong to several", OpenStreamCases::leases),
                fresh(313, "keep-alives while permissions change", OpenStreamCases::keepAlives),
                fresh(314, "users change under a corruption alarm", UserCases::underCorruption));
    }

    private interface Script {
        void play(Callers callers, Session session) throws Exception;
    }

    private static Scenario fresh(int number, String sentence, Script script) {
        return Scenario.scenario(
                        number, sentence, session -> script.play(new Callers(session), session))
                .onFreshServer(CHEAP_PASSWORDS);
    }

    private static void everyCall(Callers c, Session s) {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READ, "a", "")).by(ROOT, c);
        for (String caller : List.of(NOBODY, "forger", ALICE, ROOT)) {
            Random random = new Random(1);
            KeyCalls keys = new KeyCalls(random);
            OtherCalls others = new OtherCalls(random, keys);
            UserCalls users = new UserCalls(random, keys);
            for (int i = 0; i < RANDOM_CALLS; i++) {
                others.next(caller.equals(ROOT)).by(caller, c);
                others.lease().by(caller, c);
                users.read().by(caller, c);
                users.change().by(caller.equals(ROOT) ? NOBODY : caller, c);
            }
            OtherCalls.disarm().by(ROOT, c);
        }
    }

    private static void transactions(Callers c, Session s) {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READ, "r", "")).by(ROOT, c);
        UserCalls.grant("r", allowed(Permission.Type.WRITE, "w", "")).by(ROOT, c);
        UserCalls.grant("r", allowed(Permission.Type.READWRITE, "b", "")).by(ROOT, c);
        var txn = KVGrpc.getTxnMethod();
        for (String key : List.of("r", "w", "b", "none")) {
            var put = put(key, "1");
            for (Requests.Txn request :
                    List.of(
                            txn(get(key)),
                            txn(put(key, "1")),
                            txn(put(key, "1").setPrevKv(true)),
                            txn(put(key, "").setIgnoreValue(true)),
                            txn(put(key, "2").setIgnoreLease(true)),
                            txn(put(key, "3").setLease(7)),
                            txn(Requests.delete(key)),
                            txn(Requests.delete(key).setPrevKv(true)),
                            txn(txn(put).nested()),
                            txn(txn(get(key)).nested()),
                            Requests.when(Requests.version(key, CompareResult.EQUAL, 0)),
                            txn().otherwise(put(key, "1")),
                            txn().otherwise(get(key)),
                            txn(get("r"), put("w", "1"), put(key, "1")))) {
                var unused = c.call(ALICE, txn, request.build());
            }
            var unused = c.call(NOBODY, txn, txn(put).build());
        }
        for (String caller : List.of(NOBODY, "forger", ALICE)) {
            var unused = c.call(caller, txn, txn().build());
        }
    }

    private static void leases(Callers c, Session s) {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READWRITE, "a", "")).by(ROOT, c);
        var grant = LeaseGrpc.getLeaseGrantMethod();
        c.call(ROOT, grant, lease(7, 600).build());
        c.call(ALICE, grant, lease(8, 600).build());
        c.call(NOBODY, grant, lease(9, 600).build());
        c.call(ROOT, KVGrpc.getPutMethod(), put("b", "1").setLease(7).build());
        c.call(ALICE, KVGrpc.getPutMethod(), put("a", "1").setLease(7).build());
        c.call(ALICE, KVGrpc.getPutMethod(), put("a", "1").setLease(8).build());
        c.call(ALICE, KVGrpc.getPutMethod(), put("a", "1").setLease(99).build());
        for (long id : List.of(7L, 8L, 99L)) {
            for (String caller : List.of(NOBODY, ALICE, ROOT)) {
                for (boolean keys : List.of(false, true)) {
                    c.call(
                            caller,
                            LeaseGrpc.getLeaseTimeToLiveMethod(),
                            LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(keys).build());
                }
            }
        }
        for (long id : List.of(7L, 8L, 99L)) {
            for (String caller : List.of(NOBODY, ALICE, ROOT)) {
                c.call(
                        caller,
                        LeaseGrpc.getLeaseRevokeMethod(),
                        LeaseRevokeRequest.newBuilder().setID(id).build());
            }
        }
    }

    private static void watches(Callers c, Session s) {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READ, "a", "c")).by(ROOT, c);
        List<List<String>> ranges =
                List.of(
                        List.of("a", ""),
                        List.of("a", "b"),
                        List.of("a", "c"),
                        List.of("a", "d"),
                        List.of("a", Requests.ZERO),
                        List.of("c", ""),
                        List.of("b", "a"),
                        List.of("", ""),
                        List.of("", Requests.ZERO));
        for (String caller : List.of(NOBODY, "forger", "babbler", ALICE, ROOT)) {
            for (List<String> range : ranges) {
                c.call(
                        caller,
                        WatchGrpc.getWatchMethod(),
                        WatchRequest.newBuilder()
                                .setCreateRequest(
                                        WatchCreateRequest.newBuilder()
                                                .setKey(bytes(range.get(0)))
                                                .setRangeEnd(bytes(range.get(1)))
                                                .setPrevKv(true))
                                .build());
            }
        }
    }

    private static void alarms(Callers c, Session s) {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READWRITE, "a", "")).by(ROOT, c);
        c.call(
                ROOT,
                MaintenanceGrpc.getAlarmMethod(),
                AlarmRequest.newBuilder()
                        .setAction(AlarmAction.ACTIVATE)
                        .setAlarm(AlarmType.NOSPACE)
                        .build());
        for (String caller : List.of(NOBODY, "forger", ALICE, ROOT)) {
            for (String key : List.of("a", "b")) {
                c.call(caller, KVGrpc.getPutMethod(), put(key, "1").build());
                c.call(caller, KVGrpc.getTxnMethod(), txn(put(key, "1")).build());
                c.call(caller, KVGrpc.getTxnMethod(), txn(get(key)).build());
                c.call(caller, KVGrpc.getDeleteRangeMethod(), Requests.delete(key).build());
            }
            c.call(caller, LeaseGrpc.getLeaseGrantMethod(), lease(7, 600).build());
        }
    }

    private static void restart(Callers c, Session s) throws Exception {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READWRITE, "a", "")).by(ROOT, c);
        s.killAndRestart();
        UserCalls.status().by(NOBODY, c);
        c.call(NOBODY, KVGrpc.getPutMethod(), put("a", "1").build());
        c.login(ROOT, password(ROOT));
        c.login(ALICE, password(ALICE));
        UserCalls.getUser(ALICE).by(ALICE, c);
        UserCalls.getRole("r").by(ALICE, c);
        c.call(ALICE, KVGrpc.getPutMethod(), put("a", "1").build());
        c.call(ALICE, KVGrpc.getPutMethod(), put("b", "1").build());
    }

    private static void merged(Callers c, Session s) {
        setUp(c);
        UserCalls.grant("r", allowed(Permission.Type.READ, "a", "c")).by(ROOT, c);
        UserCalls.grant("r", allowed(Permission.Type.READ, "c", "e")).by(ROOT, c);
        UserCalls.addRole("other").by(ROOT, c);
        UserCalls.grant("other", allowed(Permission.Type.READWRITE, "d", "g")).by(ROOT, c);
        UserCalls.grant("other", allowed(Permission.Type.READ, "z", Requests.ZERO)).by(ROOT, c);
        UserCalls.grantRole(ALICE, "other").by(ROOT, c);
        for (String key : List.of("", "a", "b", "c", "d", "f", "g", "z", "zz")) {
            for (String end : List.of("", "b", "c", "d", "e", "f", "g", "h", Requests.ZERO)) {
                boolean isBackward = end.length() == 1 && end.compareTo(key) <= 0;
                if (isBackward && !end.equals(Requests.ZERO)) {
                    continue; // see KeyCalls
                }
                c.call(ALICE, KVGrpc.getRangeMethod(), Requests.range(key, end).build());
                c.call(
                        ALICE,
                        KVGrpc.getDeleteRangeMethod(),
                        Requests.delete(key, end).setPrevKv(true).build());
            }
        }
    }

    /** Root, and alice with role r, both signed in. */
    static void setUp(Callers c) {
        UserCalls.addUser(ROOT, password(ROOT)).by(NOBODY, c);
        UserCalls.grantRole(ROOT, ROOT).by(NOBODY, c);
        UserCalls.addUser(ALICE, password(ALICE)).by(NOBODY, c);
        UserCalls.addRole("r").by(NOBODY, c);
        UserCalls.grantRole(ALICE, "r").by(NOBODY, c);
        UserCalls.enable().by(NOBODY, c);
        c.login(ROOT, password(ROOT));
        c.login(ALICE, password(ALICE));
    }

    static Permission allowed(Permission.Type type, String key, String end) {
        return Permission.newBuilder()
                .setPermType(type)
                .setKey(bytes(key))
                .setRangeEnd(bytes(end))
                .build();
    }
}
