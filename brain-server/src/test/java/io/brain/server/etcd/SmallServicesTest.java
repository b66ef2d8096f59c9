package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AuthDisableRequest;
import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthRoleListRequest;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthStatusResponse;
import io.brain.proto.etcd.AuthUserGetRequest;
import io.brain.proto.etcd.AuthUserListRequest;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.Member;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberListResponse;
import io.brain.proto.etcd.MemberPromoteRequest;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.health.HealthCheckRequest;
import io.brain.proto.health.HealthCheckResponse;
import io.brain.proto.health.HealthCheckResponse.ServingStatus;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.health.HealthListRequest;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import java.util.Iterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Cluster, Auth and Health of a single member without authentication. */
class SmallServicesTest {
    private static TestServer server;
    private static ClusterGrpc.ClusterBlockingStub cluster;
    private static AuthGrpc.AuthBlockingStub auth;
    private static HealthGrpc.HealthBlockingStub health;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
        cluster = ClusterGrpc.newBlockingStub(server.channel());
        auth = AuthGrpc.newBlockingStub(server.channel());
        health = HealthGrpc.newBlockingStub(server.channel());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void theMemberListHasAHeaderWithoutRevision() {
        for (boolean linearizable : new boolean[] {false, true}) {
            MemberListResponse response =
                    cluster.memberList(
                            MemberListRequest.newBuilder().setLinearizable(linearizable).build());
            assertThat(response.getHeader().getRevision()).isZero();
            assertThat(response.getHeader().getRaftTerm()).isEqualTo(FakeBackend.EPOCH);
            assertThat(response.getMembersList())
                    .containsExactly(
                            Member.newBuilder()
                                    .setID(FakeBackend.MEMBER)
                                    .setName("m1")
                                    .addClientURLs("http://10.0.0.1:2379")
                                    .addPeerURLs("http://10.0.0.1:2380")
                                    .build());
        }
    }

    @Test
    void membersCannotBeAddedToEmbeddedStorage() {
        assertThat(add()).isEqualTo("INVALID_ARGUMENT etcdserver: given member URLs are invalid");
        for (String bad : new String[] {"abc", "http://h", "ftp://h:1", "http://h:1/path", ""}) {
            assertThat(add(bad))
                    .isEqualTo("INVALID_ARGUMENT etcdserver: given member URLs are invalid");
        }
        assertThat(add("http://10.0.0.1:2380"))
                .isEqualTo("FAILED_PRECONDITION etcdserver: Peer URLs already exists");
        assertThat(add("http://10.0.0.2:2380"))
                .isEqualTo(
                        "FAILED_PRECONDITION brain: this storage has one member; more need a shared"
                                + " storage");
    }

    @Test
    void theOnlyMemberCannotBeRemovedOrPromoted() {
        MemberRemoveRequest.Builder remove = MemberRemoveRequest.newBuilder();
        assertThat(Statuses.textOf(() -> cluster.memberRemove(remove.build())))
                .isEqualTo("NOT_FOUND etcdserver: member not found");
        assertThat(
                        Statuses.textOf(
                                () ->
                                        cluster.memberRemove(
                                                remove.setID(FakeBackend.MEMBER).build())))
                .isEqualTo(
                        "UNKNOWN etcdserver: re-configuration failed due to not enough started"
                                + " members");
        MemberPromoteRequest.Builder promote = MemberPromoteRequest.newBuilder();
        assertThat(Statuses.textOf(() -> cluster.memberPromote(promote.build())))
                .isEqualTo("NOT_FOUND etcdserver: member not found");
        assertThat(
                        Statuses.textOf(
                                () ->
                                        cluster.memberPromote(
                                                promote.setID(FakeBackend.MEMBER).build())))
                .isEqualTo("FAILED_PRECONDITION etcdserver: can only promote a learner member");
    }

    @Test
    void authenticationNeedsTheUserRoot() {
        AuthStatusResponse status = auth.authStatus(AuthStatusRequest.getDefaultInstance());
        assertThat(status.getEnabled()).isFalse();
        assertThat(status.getAuthRevision()).isEqualTo(1);
        assertThat(auth.authDisable(AuthDisableRequest.getDefaultInstance()).hasHeader()).isTrue();
        assertThat(Statuses.textOf(() -> auth.authEnable(AuthEnableRequest.getDefaultInstance())))
                .isEqualTo("FAILED_PRECONDITION etcdserver: root user does not exist");
        assertThat(
                        Statuses.textOf(
                                () -> auth.authenticate(AuthenticateRequest.getDefaultInstance())))
                .isEqualTo("FAILED_PRECONDITION etcdserver: authentication is not enabled");
    }

    @Test
    void thereAreNoUsersAndRolesAtFirst() {
        assertThat(auth.userList(AuthUserListRequest.getDefaultInstance()).getUsersList())
                .isEmpty();
        assertThat(auth.roleList(AuthRoleListRequest.getDefaultInstance()).getRolesList())
                .isEmpty();
        assertThat(Statuses.textOf(() -> auth.userGet(AuthUserGetRequest.getDefaultInstance())))
                .isEqualTo("FAILED_PRECONDITION etcdserver: user name not found");
        AuthRoleGrantPermissionRequest.Builder grant = AuthRoleGrantPermissionRequest.newBuilder();
        assertThat(Statuses.textOf(() -> auth.roleGrantPermission(grant.build())))
                .isEqualTo("INVALID_ARGUMENT etcdserver: permission not given");
        grant.setPerm(Permission.getDefaultInstance());
        assertThat(Statuses.textOf(() -> auth.roleGrantPermission(grant.build())))
                .isEqualTo("INVALID_ARGUMENT etcdserver: invalid auth management");
        grant.setPerm(Permission.newBuilder().setKey(ByteString.copyFromUtf8("k")));
        assertThat(Statuses.textOf(() -> auth.roleGrantPermission(grant.build())))
                .isEqualTo("FAILED_PRECONDITION etcdserver: role name not found");
    }

    @Test
    void healthKnowsOnlyTheServerAsAWhole() {
        HealthCheckRequest whole = HealthCheckRequest.getDefaultInstance();
        HealthCheckRequest other = HealthCheckRequest.newBuilder().setService("x").build();
        assertThat(health.check(whole).getStatus()).isEqualTo(ServingStatus.SERVING);
        assertThat(Statuses.textOf(() -> health.check(other)))
                .isEqualTo("NOT_FOUND unknown service");
        assertThat(health.list(HealthListRequest.getDefaultInstance()).getStatusesMap())
                .containsExactly(java.util.Map.entry("", health.check(whole)));
        Iterator<HealthCheckResponse> watch = health.watch(whole);
        assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
        assertThat(health.watch(other).next().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
    }

    private static String add(String... urls) {
        MemberAddRequest.Builder request = MemberAddRequest.newBuilder();
        for (String url : urls) {
            request.addPeerURLs(url);
        }
        return Statuses.textOf(() -> cluster.memberAdd(request.build()));
    }
}
