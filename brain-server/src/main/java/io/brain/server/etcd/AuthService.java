package io.brain.server.etcd;

import io.brain.proto.etcd.AuthDisableResponse;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthRoleGrantPermissionResponse;
import io.brain.proto.etcd.AuthRoleListResponse;
import io.brain.proto.etcd.AuthStatusResponse;
import io.brain.proto.etcd.AuthUserListResponse;
import io.grpc.ServerServiceDefinition;

/**
 * etcdserverpb.Auth as an etcd answers that has authentication off, and neither users nor roles:
 * making some is not supported yet.
 */
final class AuthService {
    private static final long FIRST_REVISION = 1;

    private final Headers headers;

    AuthService(Headers headers) {
        this.headers = headers;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.immediate(
                        AuthGrpc.getAuthStatusMethod(),
                        request ->
                                AuthStatusResponse.newBuilder()
                                        .setHeader(headers.now())
                                        .setAuthRevision(FIRST_REVISION)
                                        .build())
                .immediate(
                        AuthGrpc.getAuthDisableMethod(),
                        request ->
                                AuthDisableResponse.newBuilder().setHeader(headers.now()).build())
                .immediate(
                        AuthGrpc.getAuthEnableMethod(),
                        request -> refuse("etcdserver: root user does not exist"))
                .immediate(
                        AuthGrpc.getAuthenticateMethod(),
                        request -> refuse("etcdserver: authentication is not enabled"))
                .immediate(
                        AuthGrpc.getUserListMethod(),
                        request ->
                                AuthUserListResponse.newBuilder().setHeader(headers.now()).build())
                .immediate(AuthGrpc.getUserAddMethod(), request -> add(request.getName(), "user"))
                .immediate(AuthGrpc.getUserGetMethod(), request -> noUser())
                .immediate(AuthGrpc.getUserDeleteMethod(), request -> noUser())
                .immediate(AuthGrpc.getUserChangePasswordMethod(), request -> noUser())
                .immediate(AuthGrpc.getUserGrantRoleMethod(), request -> noUser())
                .immediate(AuthGrpc.getUserRevokeRoleMethod(), request -> noUser())
                .immediate(
                        AuthGrpc.getRoleListMethod(),
                        request ->
                                AuthRoleListResponse.newBuilder().setHeader(headers.now()).build())
                .immediate(AuthGrpc.getRoleAddMethod(), request -> add(request.getName(), "role"))
                .immediate(AuthGrpc.getRoleGetMethod(), request -> noRole())
                .immediate(AuthGrpc.getRoleDeleteMethod(), request -> noRole())
                .immediate(AuthGrpc.getRoleGrantPermissionMethod(), AuthService::grantPermission)
                .immediate(AuthGrpc.getRoleRevokePermissionMethod(), request -> noRole())
                .build();
    }

    private static AuthRoleGrantPermissionResponse grantPermission(
            AuthRoleGrantPermissionRequest request) {
        if (!request.hasPerm()) {
            throw Errors.invalid("etcdserver: permission not given");
        }
        return noRole();
    }

    private static <A> A add(String name, String what) {
        if (name.isEmpty()) {
            throw Errors.invalid("etcdserver: " + what + " name is empty");
        }
        throw Errors.unsupported("adding a " + what);
    }

    private static <A> A noUser() {
        return refuse("etcdserver: user name not found");
    }

    private static <A> A noRole() {
        return refuse("etcdserver: role name not found");
    }

    private static <A> A refuse(String text) {
        throw Errors.precondition(text);
    }
}
