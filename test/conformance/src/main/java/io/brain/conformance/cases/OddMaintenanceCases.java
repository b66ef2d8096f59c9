package io.brain.conformance.cases;

import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.compare.Names;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.DowngradeRequest;
import io.brain.proto.etcd.DowngradeRequest.DowngradeAction;
import io.brain.proto.etcd.MaintenanceGrpc;
import java.util.List;
import java.util.stream.Stream;

/** Alarms and downgrades that no operator's tool asks for. */
final class OddMaintenanceCases {
    /** No member's id. */
    private static final long UNKNOWN_MEMBER = 999;

    private OddMaintenanceCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(alarms(), downgrades()).flatMap(List::stream).toList();
    }

    private static List<Scenario> alarms() {
        return List.of(
                scenario(
                        273,
                        "whosever an alarm is, it counts, and is lowered only as it was raised",
                        s -> {
                            s.put("a", "1");
                            for (long member : List.of(UNKNOWN_MEMBER, Names.MEMBER, -1L)) {
                                alarm(s, AlarmAction.ACTIVATE, AlarmType.NOSPACE_VALUE, member);
                                s.put("b", "1");
                                alarm(s, AlarmAction.GET, AlarmType.NONE_VALUE, member);
                                s.status();
                            }
                            alarm(s, AlarmAction.DEACTIVATE, AlarmType.NOSPACE_VALUE, 0);
                            alarm(
                                    s,
                                    AlarmAction.DEACTIVATE,
                                    AlarmType.CORRUPT_VALUE,
                                    UNKNOWN_MEMBER);
                            alarm(s, AlarmAction.DEACTIVATE, AlarmType.NONE_VALUE, UNKNOWN_MEMBER);
                            alarm(
                                    s,
                                    AlarmAction.DEACTIVATE,
                                    AlarmType.NOSPACE_VALUE,
                                    UNKNOWN_MEMBER);
                            s.put("b", "1");
                            alarm(s, AlarmAction.ACTIVATE, AlarmType.CORRUPT_VALUE, UNKNOWN_MEMBER);
                            alarm(s, AlarmAction.DEACTIVATE, AlarmType.NOSPACE_VALUE, -1);
                            alarm(s, AlarmAction.DEACTIVATE, AlarmType.NOSPACE_VALUE, Names.MEMBER);
                            s.put("b", "1");
                            alarm(
                                    s,
                                    AlarmAction.DEACTIVATE,
                                    AlarmType.CORRUPT_VALUE,
                                    UNKNOWN_MEMBER);
                            s.put("b", "1");
                            s.status();
                        }),
                scenario(
                                274,
                                "an alarm of an unknown kind stops nothing",
                                s -> {
                                    alarm(s, AlarmAction.ACTIVATE, 9, 0);
                                    alarm(s, AlarmAction.ACTIVATE, -3, UNKNOWN_MEMBER);
                                    alarm(s, AlarmAction.GET, 9, 0);
                                    alarm(s, AlarmAction.GET, AlarmType.NONE_VALUE, 0);
                                    alarm(s, AlarmAction.GET, AlarmType.NOSPACE_VALUE, 0);
                                    s.put("a", "1");
                                    s.status();
                                    s.killAndRestart();
                                    s.status();
                                    s.put("a", "2");
                                    alarm(s, AlarmAction.DEACTIVATE, 9, 0);
                                    alarm(s, AlarmAction.DEACTIVATE, 9, 0);
                                    alarm(s, AlarmAction.GET, AlarmType.NONE_VALUE, 0);
                                })
                        .onFreshServer());
    }

    private static List<Scenario> downgrades() {
        return List.of(
                scenario(
                        275,
                        "odd versions to go down to",
                        s -> {
                            List<String> versions =
                                    List.of(
                                            "3.6.1",
                                            "3.6.0-rc.0",
                                            "3.6-rc.0",
                                            "3.6.0-",
                                            "3.6.0-rc_0",
                                            "3.6.0+build",
                                            "3.6.0+",
                                            "3.6+build",
                                            "3.06.0",
                                            "03.6.0",
                                            "3.6.",
                                            ".6.0",
                                            " 3.6.0",
                                            "3.6.0 ",
                                            "3.6.x",
                                            "3.+6.0",
                                            "-3.6.0",
                                            "3.6.-1",
                                            "3.6.99999999999999999999",
                                            "99999999999999999999.6.0",
                                            "9223372036854775807.6.0",
                                            "3.6.0.0",
                                            "\u0663.6.0");
                            for (String version : versions) {
                                downgrade(s, DowngradeAction.VALIDATE_VALUE, version);
                            }
                        }),
                scenario(
                        276,
                        "a downgrade that cannot be is refused, and there is none to cancel",
                        s -> {
                            for (String version :
                                    List.of("", "3", "3.7.0", "3.5.0", "3.8.0", "2.6.0", "x")) {
                                downgrade(s, DowngradeAction.ENABLE_VALUE, version);
                            }
                            downgrade(s, DowngradeAction.CANCEL_VALUE, "3.6.0");
                            downgrade(s, DowngradeAction.CANCEL_VALUE, "x");
                            downgrade(s, -1, "");
                            s.status();
                        }));
    }

    private static void alarm(Session s, AlarmAction action, int kind, long member) {
        s.call(
                MaintenanceGrpc.getAlarmMethod(),
                AlarmRequest.newBuilder()
                        .setAction(action)
                        .setAlarmValue(kind)
                        .setMemberID(member)
                        .build());
    }

    private static void downgrade(Session s, int action, String version) {
        s.call(
                MaintenanceGrpc.getDowngradeMethod(),
                DowngradeRequest.newBuilder().setActionValue(action).setVersion(version).build());
    }
}
