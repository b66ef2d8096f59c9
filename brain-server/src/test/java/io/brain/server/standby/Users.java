package io.brain.server.standby;

import com.google.protobuf.ByteString;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc.AuthBlockingStub;
import io.brain.proto.etcd.AuthRoleAddRequest;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserGrantRoleRequest;

/** The users of a server in a test: root, and alice, who may read and write app/. */
final class Users {
    static final String PASSWORD = "secret";

    private Users() {}

    static void make(AuthBlockingStub server) {
        add(server, "root", "root");
        Permission permission =
                Permission.newBuilder()
                        .setPermType(Permission.Type.READWRITE)
                        .setKey(ByteString.copyFromUtf8("app/"))
                        .setRangeEnd(ByteString.copyFromUtf8("app0"))
                        .build();
        var unused = server.roleAdd(AuthRoleAddRequest.newBuilder().setName("app").build());
        var unusedGrant =
                server.roleGrantPermission(
                        AuthRoleGrantPermissionRequest.newBuilder()
                                .setName("app")
                                .setPerm(permission)
                                .build());
        add(server, "alice", "app");
    }

    private static void add(AuthBlockingStub server, String name, String role) {
        var unused =
                server.userAdd(
                        AuthUserAddRequest.newBuilder()
                                .setName(name)
                                .setPassword(PASSWORD)
                                .build());
        var unusedGrant =
                server.userGrantRole(
                        AuthUserGrantRoleRequest.newBuilder().setUser(name).setRole(role).build());
    }

    static void enable(AuthBlockingStub server) {
        var unused = server.authEnable(AuthEnableRequest.getDefaultInstance());
    }

    static long revision(AuthBlockingStub server) {
        return server.authStatus(AuthStatusRequest.getDefaultInstance()).getAuthRevision();
    }
}
