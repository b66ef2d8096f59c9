package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.large;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.version;
import static io.brain.conformance.script.Requests.when;
import static io.brain.conformance.script.Scenario.scenario;
import static io.brain.proto.etcd.Compare.CompareResult.EQUAL;

import io.brain.conformance.compare.Names;
import io.brain.conformance.script.Outcome;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.AuthDisableRequest;
import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.DefragmentRequest;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.DowngradeRequest;
import io.brain.proto.etcd.DowngradeRequest.DowngradeAction;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberPromoteRequest;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.MemberUpdateRequest;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.StatusRequest;
import io.grpc.Metadata;
import java.util.List;
import java.util.stream.Stream;

/** Maintenance, members, and signing in while nobody has to. */
final class MiscCases {

    /** No member's id. */
    private static final long UNKNOWN_MEMBER = 999;

    private static final int QUOTA_PUTS_MAX = 200;

    private MiscCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(alarms(), space(), maintenance(), members(), auth())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> alarms() {
        return List.of(
                scenario(
                        104,
                        "under a space alarm nothing is added, everything else works",
                        s -> {
                            s.put("a", "1");
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE);
                            refusedAndAllowed(s);
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE);
                            s.put("c", "1");
                        }),
                scenario(
                        105,
                        "under a corruption alarm nothing is written",
                        s -> {
                            s.put("a", "1");
                            s.grant(lease(77, 600));
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.CORRUPT);
                            refusedAndAllowed(s);
                            s.revoke(77);
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.CORRUPT);
                            s.put("c", "1");
                            s.range(all());
                        }),
                scenario(
                        106,
                        "alarms are listed, raised and lowered by kind",
                        s -> {
                            for (AlarmAction action :
                                    List.of(
                                            AlarmAction.GET,
                                            AlarmAction.ACTIVATE,
                                            AlarmAction.ACTIVATE,
                                            AlarmAction.GET,
                                            AlarmAction.DEACTIVATE,
                                            AlarmAction.DEACTIVATE)) {
                                s.alarm(action, AlarmType.NONE);
                                s.alarm(action, AlarmType.NOSPACE);
                                s.alarm(action, AlarmType.CORRUPT);
                            }
                            s.call(
                                    MaintenanceGrpc.getAlarmMethod(),
                                    AlarmRequest.newBuilder().setAlarmValue(9).build());
                        }),
                scenario(
                                246,
                                "an alarm outlives a restart",
                                s -> {
                                    s.alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE);
                                    s.killAndRestart();
                                    s.alarm(AlarmAction.GET, AlarmType.NONE);
                                    s.put("a", "1");
                                    s.status();
                                })
                        .onFreshServer());
    }

    private static List<Scenario> space() {
        return List.of(
                scenario(
                                247,
                                "a store that outgrows its quota raises the alarm itself",
                                s -> {
                                    // How much fits is not compared, so revisions cannot be.
                                    s.note("at last", fillUp(s).comparable());
                                    s.note("small put", unrecordedPut(s, 1).comparable());
                                    s.note("alarms", alarms(s));
                                    s.note("deleted", unrecordedDelete(s).getDeleted());
                                    s.note("a put after that", unrecordedPut(s, 1).comparable());
                                })
                        .onFreshServer("--quota-backend-bytes=4000000"));
    }

    private static List<Scenario> maintenance() {
        return List.of(
                scenario(108, "answers of members and defragmentation", MiscCases::noHeaders),
                scenario(
                        109,
                        "a downgrade is one minor version down",
                        s -> {
                            List<String> versions =
                                    List.of(
                                            "", "3", "abc", "3.7", "3.7.0", "3.6", "3.6.0", "3.5",
                                            "3.8", "4.0", "2.6.0", "3.6.0.0", "v3.6.0");
                            for (String version : versions) {
                                downgrade(s, DowngradeAction.VALIDATE_VALUE, version);
                            }
                            downgrade(s, DowngradeAction.CANCEL_VALUE, "");
                            downgrade(s, 7, "3.6.0");
                        }),
                scenario(
                        248,
                        "a member's status",
                        s -> {
                            s.status();
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE);
                            s.status();
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.CORRUPT);
                            s.status();
                        }));
    }

    private static List<Scenario> members() {
        return List.of(
                scenario(
                        249,
                        "member changes that are refused",
                        s -> {
                            s.call(
                                    ClusterGrpc.getMemberAddMethod(),
                                    MemberAddRequest.getDefaultInstance());
                            s.call(
                                    ClusterGrpc.getMemberAddMethod(),
                                    MemberAddRequest.newBuilder().addPeerURLs("not a url").build());
                            s.call(
                                    ClusterGrpc.getMemberAddMethod(),
                                    MemberAddRequest.newBuilder()
                                            .addPeerURLs("http://")
                                            .setIsLearner(true)
                                            .build());
                            s.call(
                                    ClusterGrpc.getMemberUpdateMethod(),
                                    MemberUpdateRequest.newBuilder()
                                            .setID(UNKNOWN_MEMBER)
                                            .addPeerURLs("http://127.0.0.1:1")
                                            .build());
                            s.call(
                                    ClusterGrpc.getMemberUpdateMethod(),
                                    MemberUpdateRequest.newBuilder().setID(UNKNOWN_MEMBER).build());
                            s.call(
                                    ClusterGrpc.getMemberRemoveMethod(),
                                    MemberRemoveRequest.newBuilder().setID(UNKNOWN_MEMBER).build());
                            s.call(
                                    ClusterGrpc.getMemberPromoteMethod(),
                                    MemberPromoteRequest.newBuilder()
                                            .setID(UNKNOWN_MEMBER)
                                            .build());
                        }),
                scenario(
                        250,
                        "the only member is a voter and stays",
                        s -> {
                            members(s, true);
                            s.call(
                                    ClusterGrpc.getMemberPromoteMethod(),
                                    MemberPromoteRequest.newBuilder().setID(Names.MEMBER).build());
                            s.call(
                                    ClusterGrpc.getMemberRemoveMethod(),
                                    MemberRemoveRequest.newBuilder().setID(Names.MEMBER).build());
                            members(s, true);
                        }));
    }

    private static List<Scenario> auth() {
        return List.of(
                scenario(
                        251,
                        "nobody signs in while authentication is off",
                        s -> {
                            s.call(
                                    AuthGrpc.getAuthStatusMethod(),
                                    AuthStatusRequest.getDefaultInstance());
                            s.call(
                                    AuthGrpc.getAuthenticateMethod(),
                                    AuthenticateRequest.newBuilder().setName("root").build());
                            s.call(
                                    AuthGrpc.getAuthEnableMethod(),
                                    AuthEnableRequest.getDefaultInstance());
                            s.call(
                                    AuthGrpc.getAuthDisableMethod(),
                                    AuthDisableRequest.getDefaultInstance());
                        }),
                scenario(
                        267,
                        "tokens do not matter while authentication is off, nor does a leader's"
                                + " wish",
                        s -> {
                            for (String key : List.of("token", "authorization", "hasleader")) {
                                Metadata metadata = new Metadata();
                                metadata.put(
                                        Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER),
                                        "true");
                                s.note(
                                        "with " + key,
                                        s.unrecorded()
                                                .with(metadata)
                                                .call(KVGrpc.getPutMethod(), put("a", key).build())
                                                .comparable());
                            }
                            s.range(get("a"));
                        }));
    }

    private static void refusedAndAllowed(Session s) {
        s.put("b", "1");
        s.put("", "1");
        s.grant(lease(78, 600));
        s.txn(txn(put("b", "1")));
        s.txn(when(version("a", EQUAL, 0)).then(put("b", "1")).otherwise(get("a")));
        s.txn(txn(txn(put("b", "1")).nested()));
        s.txn(txn(get("a")));
        s.txn(txn());
        s.txn(txn(delete("a")));
        s.range(all());
        s.delete(delete("a"));
        s.delete(delete("b"));
        s.compact(compact(s.revision()));
        s.timeToLive(77);
        s.leases();
        s.alarm(AlarmAction.GET, AlarmType.NONE);
    }

    private static void noHeaders(Session s) {
        members(s, false);
        members(s, true);
        s.call(MaintenanceGrpc.getDefragmentMethod(), DefragmentRequest.getDefaultInstance());
        s.put("a", "1");
        s.call(
                MaintenanceGrpc.getMoveLeaderMethod(),
                MoveLeaderRequest.newBuilder().setTargetID(Names.MEMBER).build());
        s.call(
                MaintenanceGrpc.getMoveLeaderMethod(),
                MoveLeaderRequest.newBuilder().setTargetID(UNKNOWN_MEMBER).build());
        s.call(MaintenanceGrpc.getMoveLeaderMethod(), MoveLeaderRequest.getDefaultInstance());
        s.range(get("a"));
    }

    private static void members(Session s, boolean linearizable) {
        s.call(
                ClusterGrpc.getMemberListMethod(),
                MemberListRequest.newBuilder().setLinearizable(linearizable).build());
    }

    private static void downgrade(Session s, int action, String version) {
        s.call(
                MaintenanceGrpc.getDowngradeMethod(),
                DowngradeRequest.newBuilder().setActionValue(action).setVersion(version).build());
    }

    private static Outcome<PutResponse> fillUp(Session s) {
        Outcome<PutResponse> outcome = unrecordedPut(s, 200_000);
        for (int i = 0; i < QUOTA_PUTS_MAX && outcome instanceof Outcome.Answer; i++) {
            outcome = unrecordedPut(s, 200_000);
        }
        return outcome;
    }

    private static List<String> alarms(Session s) {
        return s.unrecorded()
                .call(MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance())
                .get()
                .getErrorsList();
    }

    private static DeleteRangeResponse unrecordedDelete(Session s) {
        return s.unrecorded().call(KVGrpc.getDeleteRangeMethod(), delete("f").build()).get();
    }

    private static Outcome<PutResponse> unrecordedPut(Session s, int size) {
        return s.unrecorded().call(KVGrpc.getPutMethod(), put("f", large(size)).build());
    }
}
