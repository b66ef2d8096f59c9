package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.Alarm;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.DefragmentRequest;
import io.brain.proto.etcd.DefragmentResponse;
import io.brain.proto.etcd.DowngradeRequest;
import io.brain.proto.etcd.DowngradeRequest.DowngradeAction;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.HashRequest;
import io.brain.proto.etcd.HashResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.MoveLeaderResponse;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.StatusResponse;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaintenanceTest {
    private static TestServer server;
    private static MaintenanceGrpc.MaintenanceBlockingStub maintenance;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
        maintenance = MaintenanceGrpc.newBlockingStub(server.channel());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void resetBackend() {
        server.backend.alarms.clear();
        server.backend.leader = FakeBackend.MEMBER;
    }

    @Test
    void statusHasTheFieldsThatClientsUse() {
        StatusResponse status = maintenance.status(StatusRequest.getDefaultInstance());
        assertThat(status.getVersion()).isEqualTo("3.7.3");
        assertThat(status.getStorageVersion()).isEqualTo("3.7.0");
        assertThat(status.getDbSize()).isEqualTo(1000);
        assertThat(status.getDbSizeInUse()).isEqualTo(1000);
        assertThat(status.getDbSizeQuota()).as("capacity, as no quota is set").isEqualTo(4711);
        assertThat(status.getLeader()).isEqualTo(status.getHeader().getMemberId());
        assertThat(status.getRaftTerm()).isEqualTo(FakeBackend.EPOCH);
        assertThat(status.getRaftIndex()).isEqualTo(8);
        assertThat(status.getRaftAppliedIndex()).isEqualTo(8);
        assertThat(status.getIsLearner()).isFalse();
        assertThat(status.hasDowngradeInfo()).isTrue();
        assertThat(status.getErrorsList()).isEmpty();
        assertThat(status.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
    }

    @Test
    void anUnknownCapacityIsShownAsADisabledQuota() {
        server.capacity = Long.MIN_VALUE;
        try {
            assertThat(maintenance.status(StatusRequest.getDefaultInstance()).getDbSizeQuota())
                    .isEqualTo(-1);
        } finally {
            server.capacity = 4711;
        }
    }

    @Test
    void statusListsErrors() {
        server.backend.leader = 0;
        server.backend.alarms.add(new Alarm(22, Alarm.CORRUPT));
        server.backend.alarms.add(new Alarm(0, Alarm.NO_SPACE));
        assertThat(maintenance.status(StatusRequest.getDefaultInstance()).getErrorsList())
                .containsExactly(
                        "etcdserver: no leader", "alarm:NOSPACE", "memberID:22 alarm:CORRUPT");
    }

    @Test
    void alarmsAreRaisedListedAndDisarmed() {
        assertThat(alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE)).containsExactly(raised(1));
        assertThat(alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE)).containsExactly(raised(1));
        assertThat(alarm(AlarmAction.ACTIVATE, AlarmType.NONE)).isEmpty();
        assertThat(alarm(AlarmAction.GET, AlarmType.NONE)).containsExactly(raised(1));
        assertThat(alarm(AlarmAction.GET, AlarmType.NOSPACE)).containsExactly(raised(1));
        assertThat(alarm(AlarmAction.GET, AlarmType.CORRUPT)).isEmpty();
        assertThat(alarm(AlarmAction.DEACTIVATE, AlarmType.NONE)).isEmpty();
        assertThat(alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE)).containsExactly(raised(1));
        assertThat(alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE)).isEmpty();
        assertThat(alarm(AlarmAction.GET, AlarmType.NONE)).isEmpty();
    }

    @Test
    void anUnknownAlarmActionIsRefused() {
        AlarmRequest unknownAction = AlarmRequest.newBuilder().setActionValue(7).build();
        assertThat(Statuses.textOf(() -> maintenance.alarm(unknownAction)))
                .startsWith("INVALID_ARGUMENT");
    }

    @Test
    void anAlarmHasTheRequestedMemberAndKind() {
        AlarmRequest request =
                AlarmRequest.newBuilder()
                        .setAction(AlarmAction.ACTIVATE)
                        .setMemberID(-3)
                        .setAlarmValue(9)
                        .build();
        AlarmMember unknown = AlarmMember.newBuilder().setMemberID(-3).setAlarmValue(9).build();
        assertThat(maintenance.alarm(request).getAlarmsList()).containsExactly(unknown);
        AlarmRequest get = AlarmRequest.newBuilder().setAlarmValue(9).build();
        assertThat(maintenance.alarm(get).getAlarmsList()).containsExactly(unknown);
        assertThat(maintenance.status(StatusRequest.getDefaultInstance()).getErrorsList())
                .containsExactly("memberID:18446744073709551613 alarm:9");
    }

    @Test
    void defragmentReturnsNothingAndReclaimsSpace() {
        assertThat(maintenance.defragment(DefragmentRequest.getDefaultInstance()))
                .isEqualTo(DefragmentResponse.getDefaultInstance());
        assertThat(server.backend.reclaimed).hasValue(1);
    }

    @Test
    void leadershipMovesOnlyToAStartedMember() {
        MoveLeaderRequest self =
                MoveLeaderRequest.newBuilder().setTargetID(FakeBackend.MEMBER).build();
        assertThat(maintenance.moveLeader(self)).isEqualTo(MoveLeaderResponse.getDefaultInstance());
        assertThat(
                        Statuses.textOf(
                                () ->
                                        maintenance.moveLeader(
                                                MoveLeaderRequest.getDefaultInstance())))
                .isEqualTo("FAILED_PRECONDITION etcdserver: bad leader transferee");
        server.backend.leader = 1;
        assertThat(Statuses.textOf(() -> maintenance.moveLeader(self)))
                .isEqualTo("FAILED_PRECONDITION etcdserver: not leader");
    }

    @ParameterizedTest
    @CsvSource({
        "VALIDATE,'',INVALID_ARGUMENT etcdserver: wrong downgrade target version format",
        "VALIDATE,3,INVALID_ARGUMENT etcdserver: wrong downgrade target version format",
        "VALIDATE,abc,INVALID_ARGUMENT etcdserver: wrong downgrade target version format",
        "VALIDATE,3.6.0-rc_0,INVALID_ARGUMENT etcdserver: wrong downgrade target version format",
        "VALIDATE,3.6.99999999999999999999,INVALID_ARGUMENT etcdserver: wrong downgrade target"
                + " version format",
        "VALIDATE,3.7,INVALID_ARGUMENT etcdserver: invalid downgrade target version",
        "VALIDATE,3.5.0,INVALID_ARGUMENT etcdserver: invalid downgrade target version",
        "ENABLE,3.5.0,INVALID_ARGUMENT etcdserver: invalid downgrade target version",
        "ENABLE,3.6.0,FAILED_PRECONDITION brain: the store has no older format; move its data with"
                + " brain export --etcd-version 3.6"
    })
    void invalidDowngradesAreRefused(DowngradeAction action, String version, String text) {
        assertThat(Statuses.textOf(() -> maintenance.downgrade(downgrade(action, version))))
                .isEqualTo(text);
    }

    @Test
    void aDowngradeToThePreviousMinorVersionIsValidAndCancelSucceeds() {
        for (String version :
                List.of(
                        "3.6",
                        "03.06.0",
                        "3.6.1-rc.0+build",
                        "3.6.0-",
                        "3.6.0-" + "a.".repeat(100_000) + "a")) {
            DowngradeRequest valid = downgrade(DowngradeAction.VALIDATE, version);
            assertThat(maintenance.downgrade(valid).getVersion()).isEqualTo("3.7");
        }
        assertThat(maintenance.downgrade(downgrade(DowngradeAction.CANCEL, "")).getVersion())
                .isEqualTo("3.7");
        DowngradeRequest unknown = DowngradeRequest.newBuilder().setActionValue(7).build();
        assertThat(Statuses.textOf(() -> maintenance.downgrade(unknown)))
                .isEqualTo("UNKNOWN etcdserver: unknown method");
    }

    @Test
    void aHashIsOfTheRequestedRevision() {
        HashKVResponse response =
                maintenance.hashKV(HashKVRequest.newBuilder().setRevision(4).build());
        assertThat(response.getHash()).isEqualTo(-5);
        assertThat(response.getHashRevision()).isEqualTo(4);
        assertThat(response.getCompactRevision()).isEqualTo(-1);
        assertThat(response.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
        HashKVRequest future = HashKVRequest.newBuilder().setRevision(99).build();
        assertThat(Statuses.textOf(() -> maintenance.hashKV(future)))
                .isEqualTo("OUT_OF_RANGE etcdserver: mvcc: required revision is a future revision");
        HashResponse whole = maintenance.hash(HashRequest.getDefaultInstance());
        assertThat(whole.getHash()).isEqualTo(-6);
        assertThat(whole.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
    }

    private static List<AlarmMember> alarm(AlarmAction action, AlarmType type) {
        return maintenance
                .alarm(AlarmRequest.newBuilder().setAction(action).setAlarm(type).build())
                .getAlarmsList();
    }

    private static AlarmMember raised(int type) {
        return AlarmMember.newBuilder().setAlarmValue(type).build();
    }

    private static DowngradeRequest downgrade(DowngradeAction action, String version) {
        return DowngradeRequest.newBuilder().setAction(action).setVersion(version).build();
    }
}
