package io.brain.conformance.access;

import io.brain.proto.auth.Permission;
import io.brain.proto.auth.UserAddOptions;
import io.brain.proto.etcd.AuthDisableRequest;
import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleAddRequest;
import io.brain.proto.etcd.AuthRoleDeleteRequest;
import io.brain.proto.etcd.AuthRoleGetRequest;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthRoleListRequest;
import io.brain.proto.etcd.AuthRoleRevokePermissionRequest;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserChangePasswordRequest;
import io.brain.proto.etcd.AuthUserDeleteRequest;
import io.brain.proto.etcd.AuthUserGetRequest;
import io.brain.proto.etcd.AuthUserGrantRoleRequest;
import io.brain.proto.etcd.AuthUserListRequest;
import io.brain.proto.etcd.AuthUserRevokeRoleRequest;
import java.util.List;
import java.util.Random;

/** Calls on users and roles, made up or asked for. */
final class UserCalls {
    static final String ROOT = "root";
    static final List<String> USERS = List.of("u0", "u1", "u2", "u3", "u4");
    static final List<String> ROLES = List.of("r0", "r1", "r2", "r3");

    private final Random random;
    private final KeyCalls keys;

    UserCalls(Random random, KeyCalls keys) {
        this.random = random;
        this.keys = keys;
    }

    static Call<?, ?> enable() {
        return new Call<>(AuthGrpc.getAuthEnableMethod(), AuthEnableRequest.getDefaultInstance());
    }

    static Call<?, ?> disable() {
        return new Call<>(AuthGrpc.getAuthDisableMethod(), AuthDisableRequest.getDefaultInstance());
    }

    static Call<?, ?> status() {
        return new Call<>(AuthGrpc.getAuthStatusMethod(), AuthStatusRequest.getDefaultInstance());
    }

    static Call<?, ?> addUser(String name, String password) {
        return new Call<>(
                AuthGrpc.getUserAddMethod(),
                AuthUserAddRequest.newBuilder().setName(name).setPassword(password).build());
    }

    static Call<?, ?> addUserWithoutPassword(String name) {
        UserAddOptions options = UserAddOptions.newBuilder().setNoPassword(true).build();
        return new Call<>(
                AuthGrpc.getUserAddMethod(),
                AuthUserAddRequest.newBuilder().setName(name).setOptions(options).build());
    }

    static Call<?, ?> deleteUser(String name) {
        return new Call<>(
                AuthGrpc.getUserDeleteMethod(),
                AuthUserDeleteRequest.newBuilder().setName(name).build());
    }

    static Call<?, ?> changeHash(String user, String hash) {
        return new Call<>(
                AuthGrpc.getUserChangePasswordMethod(),
                AuthUserChangePasswordRequest.newBuilder()
                        .setName(user)
                        .setHashedPassword(hash)
                        .build());
    }

    static Call<?, ?> changePassword(String name, String password) {
        return new Call<>(
                AuthGrpc.getUserChangePasswordMethod(),
                AuthUserChangePasswordRequest.newBuilder()
                        .setName(name)
                        .setPassword(password)
                        .build());
    }

    static Call<?, ?> getUser(String name) {
        return new Call<>(
                AuthGrpc.getUserGetMethod(), AuthUserGetRequest.newBuilder().setName(name).build());
    }

    static Call<?, ?> grantRole(String user, String role) {
        return new Call<>(
                AuthGrpc.getUserGrantRoleMethod(),
                AuthUserGrantRoleRequest.newBuilder().setUser(user).setRole(role).build());
    }

    static Call<?, ?> revokeRole(String user, String role) {
        return new Call<>(
                AuthGrpc.getUserRevokeRoleMethod(),
                AuthUserRevokeRoleRequest.newBuilder().setName(user).setRole(role).build());
    }

    static Call<?, ?> addRole(String name) {
        return new Call<>(
                AuthGrpc.getRoleAddMethod(), AuthRoleAddRequest.newBuilder().setName(name).build());
    }

    static Call<?, ?> deleteRole(String name) {
        return new Call<>(
                AuthGrpc.getRoleDeleteMethod(),
                AuthRoleDeleteRequest.newBuilder().setRole(name).build());
    }

    static Call<?, ?> getRole(String name) {
        return new Call<>(
                AuthGrpc.getRoleGetMethod(), AuthRoleGetRequest.newBuilder().setRole(name).build());
    }

    static Call<?, ?> grant(String role, Permission permission) {
        return new Call<>(
                AuthGrpc.getRoleGrantPermissionMethod(),
                AuthRoleGrantPermissionRequest.newBuilder()
                        .setName(role)
                        .setPerm(permission)
                        .build());
    }

    static Call<?, ?> revoke(String role, Permission permission) {
        return new Call<>(
                AuthGrpc.getRoleRevokePermissionMethod(),
                AuthRoleRevokePermissionRequest.newBuilder()
                        .setRole(role)
                        .setKey(permission.getKey())
                        .setRangeEnd(permission.getRangeEnd())
                        .build());
    }

    static Call<?, ?> listUsers() {
        return new Call<>(AuthGrpc.getUserListMethod(), AuthUserListRequest.getDefaultInstance());
    }

    static Call<?, ?> listRoles() {
        return new Call<>(AuthGrpc.getRoleListMethod(), AuthRoleListRequest.getDefaultInstance());
    }

    static String password(String user) {
        return "password of " + user;
    }

    String user() {
        return random.nextInt(12) == 0 ? "stranger" : pick(USERS);
    }

    String role() {
        return random.nextInt(12) == 0 ? "unknown" : pick(ROLES);
    }

    private String pick(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    /** A call that reads. */
    Call<?, ?> read() {
        return switch (random.nextInt(6)) {
            case 0 -> status();
            case 1, 2 -> getUser(random.nextInt(8) == 0 ? ROOT : user());
            case 3, 4 -> getRole(random.nextInt(8) == 0 ? ROOT : role());
            default -> random.nextBoolean() ? listUsers() : listRoles();
        };
    }

    /** A call that changes something, made by those who may as well as by others. */
    Call<?, ?> change() {
        return switch (random.nextInt(14)) {
            case 0 -> {
                String user = user();
                yield addUser(user, password(user));
            }
            case 1 -> random.nextInt(3) == 0 ? deleteUser(user()) : addUser("", "x");
            case 2 -> {
                String user = user();
                yield changePassword(user, password(user));
            }
            case 3, 4, 5 -> grantRole(user(), role());
            case 6 -> revokeRole(user(), role());
            case 7 -> random.nextInt(3) == 0 ? deleteRole(role()) : addRole(role());
            case 8, 9, 10, 11 -> grant(role(), keys.permission());
            default -> revoke(role(), keys.permission());
        };
    }
}
