package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChanges;
import io.brain.backend.auth.Caller;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.AuthDisableRequest;
import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleAddRequest;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserDeleteRequest;
import io.brain.proto.etcd.AuthUserGetRequest;
import io.brain.proto.etcd.AuthUserGrantRoleRequest;
import io.brain.proto.etcd.AuthUserListRequest;
import io.brain.proto.etcd.AuthUserRevokeRoleRequest;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DefragmentRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashRequest;
import io.brain.proto.etcd.HashResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.server.Eventually;
import io.brain.server.TestServer;
import io.brain.storage.Bytes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Callers of a server with the user root, and eve who may read "e". */
class AuthTest {
    private static final String EMPTY = "INVALID_ARGUMENT etcdserver: user name is empty";
    private static final String DENIED = "PERMISSION_DENIED etcdserver: permission denied";
    private static final String FAILED =
            "INVALID_ARGUMENT etcdserver: authentication failed, invalid user ID or password";
    private static final String INVALID = "UNAUTHENTICATED etcdserver: invalid auth token";

    private TestServer server;
    private AuthGrpc.AuthBlockingStub auth;
    private KVGrpc.KVBlockingStub kv;
    private LeaseGrpc.LeaseBlockingStub leases;
    private ClusterGrpc.ClusterBlockingStub cluster;
    private MaintenanceGrpc.MaintenanceBlockingStub maintenance;

    @BeforeEach
    void enable() throws Exception {
        server = new TestServer("--bcrypt-cost=4");
        auth = AuthGrpc.newBlockingStub(server.channel());
        kv = KVGrpc.newBlockingStub(server.channel());
        leases = LeaseGrpc.newBlockingStub(server.channel());
        cluster = ClusterGrpc.newBlockingStub(server.channel());
        maintenance = MaintenanceGrpc.newBlockingStub(server.channel());
        add("root");
        add("eve");
        grant("root", "root");
        var unused = auth.roleAdd(AuthRoleAddRequest.newBuilder().setName("r").build());
        grant("eve", "r");
        var unusedGrant =
                auth.roleGrantPermission(
                        AuthRoleGrantPermissionRequest.newBuilder()
                                .setName("r")
                                .setPerm(Permission.newBuilder().setKey(bytes("e")))
                                .build());
        var unusedEnable = auth.authEnable(AuthEnableRequest.getDefaultInstance());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private void add(String user) {
        add(user, auth);
    }

    private static void add(String user, AuthGrpc.AuthBlockingStub by) {
        var unused =
                by.userAdd(
                        AuthUserAddRequest.newBuilder()
                                .setName(user)
                                .setPassword(user + "-password")
                                .build());
    }

    private void grant(String user, String role) {
        grant(user, role, auth);
    }

    private static void grant(String user, String role, AuthGrpc.AuthBlockingStub by) {
        var unused =
                by.userGrantRole(
                        AuthUserGrantRoleRequest.newBuilder().setUser(user).setRole(role).build());
    }

    private String tokenOf(String user) {
        return auth.authenticate(
                        AuthenticateRequest.newBuilder()
                                .setName(user)
                                .setPassword(user + "-password")
                                .build())
                .getToken();
    }

    private static <S extends AbstractStub<S>> S with(S stub, String header, String... values) {
        Metadata headers = new Metadata();
        for (String value : values) {
            headers.put(Metadata.Key.of(header, Metadata.ASCII_STRING_MARSHALLER), value);
        }
        return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private <S extends AbstractStub<S>> S as(String user, S stub) {
        return with(stub, "token", tokenOf(user));
    }

    private static void refused(Supplier<?> call, String status) {
        String text =
                Statuses.textOf(
                        () -> {
                            var unused = call.get();
                        });
        assertThat(text).isEqualTo(status);
    }

    /** CVE-2026-33413. */
    @Test
    void nobodyMayCallWhatNeedsAUser() {
        refused(() -> cluster.memberList(MemberListRequest.getDefaultInstance()), EMPTY);
        refused(() -> cluster.memberRemove(MemberRemoveRequest.getDefaultInstance()), EMPTY);
        refused(() -> maintenance.alarm(AlarmRequest.getDefaultInstance()), EMPTY);
        refused(() -> maintenance.status(StatusRequest.getDefaultInstance()), EMPTY);
        refused(() -> maintenance.hash(HashRequest.getDefaultInstance()), EMPTY);
        refused(() -> maintenance.hashKV(HashKVRequest.getDefaultInstance()), EMPTY);
        refused(() -> maintenance.defragment(DefragmentRequest.getDefaultInstance()), EMPTY);
        refused(() -> maintenance.snapshot(SnapshotRequest.getDefaultInstance()).hasNext(), EMPTY);
        refused(() -> leases.leaseGrant(LeaseGrantRequest.getDefaultInstance()), EMPTY);
        refused(() -> leases.leaseRevoke(LeaseRevokeRequest.getDefaultInstance()), EMPTY);
        refused(() -> leases.leaseLeases(LeaseLeasesRequest.getDefaultInstance()), EMPTY);
        refused(() -> leases.leaseTimeToLive(LeaseTimeToLiveRequest.getDefaultInstance()), EMPTY);
        refused(() -> kv.compact(CompactionRequest.getDefaultInstance()), EMPTY);
        refused(() -> auth.userList(AuthUserListRequest.getDefaultInstance()), EMPTY);
        refused(() -> auth.authDisable(AuthDisableRequest.getDefaultInstance()), EMPTY);
        assertThat(auth.authStatus(AuthStatusRequest.getDefaultInstance()).getEnabled()).isTrue();
        assertThat(server.backend.reclaimed.get()).isZero();
    }

    @Test
    void onlyRootMayAdminister() {
        refused(() -> as("eve", kv).compact(CompactionRequest.getDefaultInstance()), DENIED);
        refused(() -> as("eve", maintenance).hashKV(HashKVRequest.getDefaultInstance()), DENIED);
        AlarmRequest raise =
                AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.ACTIVATE)
                        .setAlarm(AlarmType.NOSPACE)
                        .build();
        refused(() -> as("eve", maintenance).alarm(raise), DENIED);
        assertThat(server.backend.alarms).isEmpty();
        assertThat(as("eve", maintenance).alarm(AlarmRequest.getDefaultInstance()).hasHeader())
                .isTrue();
        assertThat(as("root", maintenance).alarm(raise).getAlarmsCount()).isEqualTo(1);
        refused(() -> as("eve", auth).userList(AuthUserListRequest.getDefaultInstance()), DENIED);
        assertThat(
                        as("root", auth)
                                .userList(AuthUserListRequest.getDefaultInstance())
                                .getUsersList())
                .containsExactly("eve", "root");
    }

    /** Unlike in etcd, which validates these two before it looks who calls. */
    @Test
    void theRoleIsRequiredBeforeARequestIsLookedAt() {
        MemberAddRequest noUrls = MemberAddRequest.getDefaultInstance();
        AuthUserAddRequest tooLong =
                AuthUserAddRequest.newBuilder().setName("new").setPassword("x".repeat(73)).build();
        refused(() -> cluster.memberAdd(noUrls), EMPTY);
        refused(() -> as("eve", cluster).memberAdd(noUrls), DENIED);
        refused(
                () -> as("root", cluster).memberAdd(noUrls),
                "INVALID_ARGUMENT etcdserver: given member URLs are invalid");
        refused(() -> auth.userAdd(tooLong), EMPTY);
        refused(() -> as("eve", auth).userAdd(tooLong), DENIED);
        refused(
                () -> as("root", auth).userAdd(tooLong),
                "UNKNOWN bcrypt: password length exceeds 72 bytes");
    }

    /** HTTP/2 lets a client send the request long after the headers. */
    @Test
    void aCallerIsCheckedWhenTheRequestArrives() throws Exception {
        add("other", as("root", auth));
        grant("other", "root", as("root", auth));
        String token = tokenOf("other");
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER), token);
        CompletableFuture<Status> end = new CompletableFuture<>();
        ClientCall<HashRequest, HashResponse> call =
                server.channel().newCall(MaintenanceGrpc.getHashMethod(), CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                headers);
        call.request(1);
        var unused =
                as("root", auth)
                        .userRevokeRole(
                                AuthUserRevokeRoleRequest.newBuilder()
                                        .setName("other")
                                        .setRole("root")
                                        .build());
        call.sendMessage(HashRequest.getDefaultInstance());
        call.halfClose();
        assertThat(end.get(60, TimeUnit.SECONDS).getDescription())
                .isEqualTo("etcdserver: permission denied");
    }

    @Test
    void aUserMayGetItself() {
        AuthUserGetRequest eve = AuthUserGetRequest.newBuilder().setName("eve").build();
        AuthUserGetRequest root = AuthUserGetRequest.newBuilder().setName("root").build();
        assertThat(as("eve", auth).userGet(eve).getRolesList()).containsExactly("r");
        refused(() -> as("eve", auth).userGet(root), DENIED);
    }

    /** As in etcd, nobody's name is the empty one. */
    @Test
    void nobodyIsNotFound() {
        AuthUserGetRequest root = AuthUserGetRequest.newBuilder().setName("root").build();
        refused(
                () -> auth.userGet(AuthUserGetRequest.getDefaultInstance()),
                "FAILED_PRECONDITION etcdserver: user name not found");
        refused(() -> auth.userGet(root), EMPTY);
    }

    @Test
    void theCallerGoesToTheBackend() {
        PutRequest put = PutRequest.newBuilder().setKey(bytes("e")).build();
        long revision = server.backend.auth.revision();
        var unusedFirst = as("eve", kv).put(put);
        var unusedSecond = with(kv, "authorization", "Bearer " + tokenOf("eve")).put(put);
        var unusedThird = with(kv, "authorization", tokenOf("root")).put(put);
        var unusedFourth = kv.put(put);
        assertThat(server.backend.callers)
                .startsWith(
                        new Caller("eve", revision),
                        new Caller("eve", revision),
                        new Caller("root", revision))
                .hasSize(4);
        Caller nobody = List.copyOf(server.backend.callers).get(3);
        assertThat(nobody.isNone()).isTrue();
        assertThat(nobody.tenant().name()).startsWith("127.0.0.1:");
    }

    @Test
    void theBackendVerifiesACallerAgain() {
        PutRequest put = PutRequest.newBuilder().setKey(bytes("e")).build();
        var unusedPut = as("eve", kv).put(put);
        var unusedOther = kv.put(put);
        Caller eve = server.backend.callers.remove();
        Caller nobody = server.backend.callers.remove();
        add("other", as("root", auth));
        long revision = server.backend.auth.revision();
        assertThat(revision).isGreaterThan(eve.authRevision());
        assertThat(eve.verifiedAgain()).isEqualTo(new Caller("eve", revision));
        assertThat(eve.verifiedAgain().verifiedAgain()).isEqualTo(new Caller("eve", revision));
        assertThat(nobody.verifiedAgain()).isEqualTo(nobody);
        var unusedDelete =
                as("root", auth)
                        .userDelete(AuthUserDeleteRequest.newBuilder().setName("eve").build());
        assertThatThrownBy(eve::verifiedAgain)
                .matches(failure -> Failures.isOf(ErrorKind.INVALID_AUTH_TOKEN, failure));
        var unusedDisable = as("root", auth).authDisable(AuthDisableRequest.getDefaultInstance());
        assertThat(eve.verifiedAgain().isNone()).isTrue();
        assertThat(eve.verifiedAgain().tenant()).isEqualTo(nobody.tenant());
    }

    @Test
    void anInvalidTokenIsRefusedWhileCallsAreChecked() {
        PutRequest put = PutRequest.newBuilder().setKey(bytes("e")).build();
        refused(() -> with(kv, "token", "x").put(put), INVALID);
        refused(
                () ->
                        with(cluster, "token", "x")
                                .memberList(MemberListRequest.getDefaultInstance()),
                INVALID);
        refused(
                () -> with(auth, "token", "x").authStatus(AuthStatusRequest.getDefaultInstance()),
                INVALID);
        var unused = as("root", auth).authDisable(AuthDisableRequest.getDefaultInstance());
        assertThat(with(kv, "token", "x").put(put).hasHeader()).isTrue();
    }

    @Test
    void ofSeveralTokensTheFirstCounts() {
        PutRequest put = PutRequest.newBuilder().setKey(bytes("e")).build();
        assertThat(with(kv, "token", tokenOf("eve"), "x").put(put).hasHeader()).isTrue();
        assertThat(with(kv, "authorization", tokenOf("eve"), "x").put(put).hasHeader()).isTrue();
        refused(() -> with(kv, "token", "x", tokenOf("eve")).put(put), INVALID);
    }

    @Test
    void aWrongPasswordGetsNoToken() {
        AuthenticateRequest wrong =
                AuthenticateRequest.newBuilder().setName("eve").setPassword("no").build();
        refused(() -> auth.authenticate(wrong), FAILED);
        refused(() -> auth.authenticate(wrong.toBuilder().setName("none").build()), FAILED);
    }

    @Test
    void changesOfOthersDoNotFailASignIn() {
        AtomicInteger roles = new AtomicInteger();
        beforeEachUse(() -> new AuthChange.AddRole("other" + roles.incrementAndGet()));
        String token = tokenOf("eve");
        server.backend.beforeAuth = () -> {};
        assertThat(roles.get()).isPositive();
        PutRequest put = PutRequest.newBuilder().setKey(bytes("e")).build();
        assertThat(with(kv, "token", token).put(put).hasHeader()).isTrue();
    }

    /** As in etcd. */
    @Test
    void aUserThatChangesMeanwhileIsComparedAgain() {
        beforeEachUse(() -> new AuthChange.ChangePassword("eve", Bytes.EMPTY));
        refused(() -> tokenOf("eve"), FAILED);
        beforeEachUse(() -> new AuthChange.Disable());
        refused(
                () -> tokenOf("root"),
                "FAILED_PRECONDITION etcdserver: authentication is not enabled");
    }

    /** Changes the users each time that the server asks what it knows of them. */
    private void beforeEachUse(Supplier<AuthChange> change) {
        server.backend.beforeAuth =
                () -> server.backend.auth = AuthChanges.apply(server.backend.auth, change.get());
    }

    /** GHSA-xg4h-6gfc-h4m8: a permission of a key is not one of all keys from it on. */
    @Test
    void watchersAreCheckedForTheirWholeRange() throws Exception {
        WatchStreamProbe probe = new WatchStreamProbe();
        StreamObserver<WatchRequest> requests =
                as("eve", WatchGrpc.newStub(server.channel())).watch(probe);
        requests.onNext(create("e", ""));
        requests.onNext(create("e", "\0"));
        requests.onNext(create("e", "f"));
        requests.onNext(create("d", ""));
        Eventually.holds(
                () ->
                        !server.backend.watches.isEmpty()
                                && server.backend.watches.peek().asked.size() == 4);
        assertThat(server.backend.watches.peek().asked)
                .filteredOn(asked -> asked instanceof ErrorKind)
                .containsExactly(
                        ErrorKind.PERMISSION_DENIED,
                        ErrorKind.PERMISSION_DENIED,
                        ErrorKind.PERMISSION_DENIED);
        assertThat(server.backend.watches.peek().asked.peek())
                .isInstanceOf(io.brain.backend.watch.WatchRequest.class);
        requests.onCompleted();
    }

    @Test
    void aRefusedWatcherHasEtcdsReason() {
        assertThat(WatchResponses.reason(ErrorKind.PERMISSION_DENIED))
                .isEqualTo(
                        "rpc error: code = PermissionDenied desc = etcdserver: permission denied");
    }

    private static WatchRequest create(String key, String end) {
        return WatchRequest.newBuilder()
                .setCreateRequest(
                        WatchCreateRequest.newBuilder().setKey(bytes(key)).setRangeEnd(bytes(end)))
                .build();
    }

    /** Ignores responses. */
    private static final class WatchStreamProbe implements StreamObserver<WatchResponse> {
        @Override
        public void onNext(WatchResponse response) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
