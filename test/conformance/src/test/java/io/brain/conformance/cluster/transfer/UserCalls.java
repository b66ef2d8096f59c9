package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleAddRequest;
import io.brain.proto.etcd.AuthRoleGetRequest;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthRoleListRequest;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserGetRequest;
import io.brain.proto.etcd.AuthUserGrantRoleRequest;
import io.brain.proto.etcd.AuthUserListRequest;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.lock.LockGrpc;
import io.brain.proto.lock.LockRequest;
import io.brain.proto.lock.UnlockRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Users of a cluster, and what each call of each of them is answered. */
final class UserCalls {
    /** Of all users. */
    static final String PASSWORD = "secret";

    private static final int CALL_SECONDS = 60;
    private static final ByteString APP = Keys.of("app/");
    private static final ByteString APP_END = Keys.of("app0");
    private static final ByteString ONE = Keys.of("app/1");
    private static final ByteString OTHER = Keys.of("other");

    /** A call, and what is to be compared of its response. */
    private interface Call {
        Object answer(Channel channel) throws Exception;
    }

    private static final Map<String, Call> CALLS = new LinkedHashMap<>();

    static {
        CALLS.put("key range", to -> kv(to).range(range(APP, APP_END)).getKvsList());
        CALLS.put("key get", to -> kv(to).range(range(ONE, ByteString.EMPTY)).getKvsList());
        CALLS.put(
                "key serializable",
                to -> {
                    RangeRequest.Builder get = range(OTHER, ByteString.EMPTY).toBuilder();
                    return kv(to).range(get.setSerializable(true).build()).getKvsList();
                });
        CALLS.put("key all", to -> kv(to).range(range(Keys.ZERO, Keys.ZERO)).hasHeader());
        CALLS.put("key put", to -> kv(to).put(put(Keys.of("app/put"), 0)).hasHeader());
        CALLS.put("key put other", to -> kv(to).put(put(Keys.of("new"), 0)).hasHeader());
        CALLS.put("key delete", to -> kv(to).deleteRange(delete("app/none")).getDeleted());
        CALLS.put("key delete other", to -> kv(to).deleteRange(delete("none")).getDeleted());
        CALLS.put("key txn read", to -> kv(to).txn(read(ONE)).getResponsesCount());
        CALLS.put("key txn read other", to -> kv(to).txn(read(OTHER)).getResponsesCount());
        CALLS.put("key txn", to -> kv(to).txn(write("app/txn")).getResponsesCount());
        CALLS.put("key txn other", to -> kv(to).txn(write("new")).getResponsesCount());
        CALLS.put("key watch", to -> watch(to, ONE));
        CALLS.put("key watch other", to -> watch(to, OTHER));
        CALLS.put("lease grant", to -> lease(to).leaseGrant(grant()).getTTL());
        CALLS.put("lease put", to -> kv(to).put(put(Keys.of("app/leased"), 77)).hasHeader());
        CALLS.put("lease times", to -> lease(to).leaseTimeToLive(times()).getKeysCount());
        CALLS.put(
                "lease list",
                to -> {
                    var all = LeaseLeasesRequest.getDefaultInstance();
                    return lease(to).leaseLeases(all).hasHeader();
                });
        CALLS.put("lease revoke", to -> lease(to).leaseRevoke(revoke()).hasHeader());
        CALLS.put("lock", UserCalls::lock);
        CALLS.put("user list", to -> auth(to).userList(users()).getUsersList());
        CALLS.put("user get", to -> auth(to).userGet(user("reader")).getRolesList());
        CALLS.put("role list", to -> auth(to).roleList(roles()).getRolesList());
        CALLS.put("role get", to -> auth(to).roleGet(role("app-reader")).getPermCount());
        CALLS.put(
                "auth status",
                to -> auth(to).authStatus(AuthStatusRequest.getDefaultInstance()).getEnabled());
        CALLS.put(
                "members",
                to ->
                        ClusterGrpc.newBlockingStub(to)
                                .memberList(MemberListRequest.getDefaultInstance())
                                .getMembersCount());
        CALLS.put(
                "status",
                to -> maintenance(to).status(StatusRequest.getDefaultInstance()).hasHeader());
        CALLS.put(
                "alarms",
                to -> maintenance(to).alarm(AlarmRequest.getDefaultInstance()).getAlarmsCount());
        CALLS.put(
                "root hash",
                to -> maintenance(to).hashKV(HashKVRequest.getDefaultInstance()).hasHeader());
        CALLS.put(
                "root snapshot",
                to ->
                        maintenance(to)
                                .snapshot(SnapshotRequest.getDefaultInstance())
                                .next()
                                .getBlob()
                                .isEmpty());
    }

    private UserCalls() {}

    /** Makes users, roles and keys, and enables authentication. */
    static void setUp(String target) {
        try (EtcdClient client = new EtcdClient(target)) {
            AuthGrpc.AuthBlockingStub auth = auth(client.channel());
            for (String role : List.of("app-reader", "app-writer")) {
                var unused = auth.roleAdd(AuthRoleAddRequest.newBuilder().setName(role).build());
            }
            permit(auth, "app-reader", Permission.Type.READ, APP, APP_END);
            permit(auth, "app-reader", Permission.Type.READ, OTHER, ByteString.EMPTY);
            permit(auth, "app-writer", Permission.Type.READWRITE, APP, APP_END);
            for (String user : List.of("reader", "writer")) {
                var unused = auth.userAdd(added(user));
                var unusedGrant =
                        auth.userGrantRole(
                                AuthUserGrantRoleRequest.newBuilder()
                                        .setUser(user)
                                        .setRole("app-" + user)
                                        .build());
            }
            var unusedUser = auth.userAdd(added("roleless"));
            var unusedOne = client.put(ONE, Keys.of("1"));
            var unusedOther = client.put(OTHER, Keys.of("2"));
            client.enableAuth(PASSWORD);
        }
    }

    private static AuthUserAddRequest added(String user) {
        return AuthUserAddRequest.newBuilder().setName(user).setPassword(PASSWORD).build();
    }

    private static void permit(
            AuthGrpc.AuthBlockingStub auth,
            String role,
            Permission.Type type,
            ByteString key,
            ByteString end) {
        Permission permission =
                Permission.newBuilder().setPermType(type).setKey(key).setRangeEnd(end).build();
        var unused =
                auth.roleGrantPermission(
                        AuthRoleGrantPermissionRequest.newBuilder()
                                .setName(role)
                                .setPerm(permission)
                                .build());
    }

    static String token(String target, String user) {
        try (EtcdClient client = new EtcdClient(target)) {
            return client.authenticate(user, PASSWORD);
        }
    }

    /** The answers to all calls, by user. */
    static Map<String, Map<String, String>> answers(String target) throws Exception {
        Map<String, Map<String, String>> answers = new TreeMap<>();
        for (String user : List.of("root", "reader", "writer", "roleless")) {
            try (EtcdClient client = EtcdClient.withToken(target, token(target, user))) {
                answers.put(user, answers(client.channel()));
            }
        }
        try (EtcdClient client = new EtcdClient(target)) {
            answers.put("no token", answers(client.channel()));
        }
        try (EtcdClient client = EtcdClient.withToken(target, "invalid.1")) {
            answers.put("an invalid token", answers(client.channel()));
        }
        return answers;
    }

    private static Map<String, String> answers(Channel channel) throws Exception {
        Map<String, String> answers = new LinkedHashMap<>();
        for (Map.Entry<String, Call> call : CALLS.entrySet()) {
            String text;
            try {
                text = String.valueOf(call.getValue().answer(channel));
            } catch (StatusRuntimeException refused) {
                String why = refused.getMessage();
                // Before 3.6, errors of such calls have no code, and "auth" in the text.
                text = call.getKey().startsWith("root") ? why.replaceFirst(".*: ", "") : why;
            }
            answers.put(call.getKey(), text);
        }
        return answers;
    }

    /** Those of calls for which all releases of etcd have the same rules. */
    static Map<String, String> ofKeys(Map<String, String> answers) {
        Map<String, String> keys = new LinkedHashMap<>(answers);
        keys.keySet().removeIf(call -> !call.startsWith("key "));
        return keys;
    }

    private static KVGrpc.KVBlockingStub kv(Channel channel) {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    private static LeaseGrpc.LeaseBlockingStub lease(Channel channel) {
        return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    private static AuthGrpc.AuthBlockingStub auth(Channel channel) {
        return AuthGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    private static MaintenanceGrpc.MaintenanceBlockingStub maintenance(Channel channel) {
        return MaintenanceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    private static RangeRequest range(ByteString key, ByteString end) {
        return RangeRequest.newBuilder()
                .setKey(key)
                .setRangeEnd(end)
                .setKeysOnly(true)
                .setLimit(1)
                .build();
    }

    private static PutRequest put(ByteString key, long lease) {
        return PutRequest.newBuilder().setKey(key).setLease(lease).build();
    }

    private static DeleteRangeRequest delete(String key) {
        return DeleteRangeRequest.newBuilder().setKey(Keys.of(key)).build();
    }

    private static TxnRequest read(ByteString key) {
        RequestOp get =
                RequestOp.newBuilder().setRequestRange(range(key, ByteString.EMPTY)).build();
        return TxnRequest.newBuilder().addSuccess(get).build();
    }

    private static TxnRequest write(String key) {
        RequestOp put = RequestOp.newBuilder().setRequestPut(put(Keys.of(key), 0)).build();
        return TxnRequest.newBuilder().addSuccess(put).build();
    }

    private static LeaseGrantRequest grant() {
        return LeaseGrantRequest.newBuilder().setID(77).setTTL(600).build();
    }

    private static LeaseTimeToLiveRequest times() {
        return LeaseTimeToLiveRequest.newBuilder().setID(77).setKeys(true).build();
    }

    private static LeaseRevokeRequest revoke() {
        return LeaseRevokeRequest.newBuilder().setID(77).build();
    }

    private static AuthUserListRequest users() {
        return AuthUserListRequest.getDefaultInstance();
    }

    private static AuthUserGetRequest user(String name) {
        return AuthUserGetRequest.newBuilder().setName(name).build();
    }

    private static AuthRoleListRequest roles() {
        return AuthRoleListRequest.getDefaultInstance();
    }

    private static AuthRoleGetRequest role(String name) {
        return AuthRoleGetRequest.newBuilder().setRole(name).build();
    }

    private static Object lock(Channel channel) {
        LockGrpc.LockBlockingStub stub =
                LockGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
        ByteString key = stub.lock(LockRequest.newBuilder().setName(APP).build()).getKey();
        return stub.unlock(UnlockRequest.newBuilder().setKey(key).build()).hasHeader();
    }

    /** The first response. */
    private static Object watch(Channel channel, ByteString key) throws Exception {
        CompletableFuture<WatchResponse> first = new CompletableFuture<>();
        StreamObserver<WatchRequest> requests =
                WatchGrpc.newStub(channel)
                        .watch(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(WatchResponse response) {
                                        first.complete(response);
                                    }

                                    @Override
                                    public void onError(Throwable failure) {
                                        first.completeExceptionally(failure);
                                    }

                                    @Override
                                    public void onCompleted() {
                                        first.cancel(false);
                                    }
                                });
        WatchCreateRequest create = WatchCreateRequest.newBuilder().setKey(key).build();
        requests.onNext(WatchRequest.newBuilder().setCreateRequest(create).build());
        WatchResponse response = first.get(CALL_SECONDS, TimeUnit.SECONDS);
        requests.onCompleted();
        return List.of(response.getCreated(), response.getCanceled(), response.getCancelReason());
    }
}
