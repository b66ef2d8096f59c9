package io.brain.server.etcd;

import io.brain.proto.etcd.AuthDisableResponse;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthRoleListResponse;
import io.brain.proto.etcd.AuthStatusResponse;
import io.brain.proto.etcd.AuthUserListResponse;
import io.brain.server.grpc.ServiceBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;

/**
 * etcdserverpb.Auth of an etcd without users and roles, and with authentication off. Users and
 * roles are not supported.
 */
final class AuthService {
    private static final long FIRST_REVISION = 1;

    private final Responses responses;

    AuthService(Responses responses) {
        this.responses = responses;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.immediate(
                        AuthGrpc.getAuthStatusMethod(),
                        request ->
                                AuthStatusResponse.newBuilder()
                                        .setHeader(responses.header())
                                        .setAuthRevision(FIRST_REVISION)
                                        .build())
                .immediate(
                        AuthGrpc.getAuthDisableMethod(),
                        request ->
                                AuthDisableResponse.newBuilder()
                                        .setHeader(responses.header())
                                        .build())
                .refused(
                        AuthGrpc.getAuthEnableMethod(),
                        request -> Errors.precondition("etcdserver: root user does not exist"))
                .refused(
                        AuthGrpc.getAuthenticateMethod(),
                        request -> Errors.precondition("etcdserver: authentication is not enabled"))
                .immediate(
                        AuthGrpc.getUserListMethod(),
                        request ->
                                AuthUserListResponse.newBuilder()
                                        .setHeader(responses.header())
                                        .build())
                .refused(AuthGrpc.getUserAddMethod(), request -> add(request.getName(), "user"))
                .refused(AuthGrpc.getUserGetMethod(), request -> noUser())
                .refused(AuthGrpc.getUserDeleteMethod(), request -> noUser())
                .refused(AuthGrpc.getUserChangePasswordMethod(), request -> noUser())
                .refused(AuthGrpc.getUserGrantRoleMethod(), request -> noUser())
                .refused(AuthGrpc.getUserRevokeRoleMethod(), request -> noUser())
                .immediate(
                        AuthGrpc.getRoleListMethod(),
                        request ->
                                AuthRoleListResponse.newBuilder()
                                        .setHeader(responses.header())
                                        .build())
                .refused(AuthGrpc.getRoleAddMethod(), request -> add(request.getName(), "role"))
                .refused(AuthGrpc.getRoleGetMethod(), request -> noRole())
                .refused(AuthGrpc.getRoleDeleteMethod(), request -> noRole())
                .refused(AuthGrpc.getRoleGrantPermissionMethod(), AuthService::grantPermission)
                .refused(AuthGrpc.getRoleRevokePermissionMethod(), request -> noRole())
                .build();
    }

    private static StatusRuntimeException grantPermission(AuthRoleGrantPermissionRequest request) {
        return request.hasPerm() ? noRole() : Errors.invalid("etcdserver: permission not given");
    }

    private static StatusRuntimeException add(String name, String what) {
        return name.isEmpty()
                ? Errors.invalid("etcdserver: " + what + " name is empty")
                : Errors.unsupported("adding a " + what);
    }

    private static StatusRuntimeException noUser() {
        return Errors.precondition("etcdserver: user name not found");
    }

    private static StatusRuntimeException noRole() {
        return Errors.precondition("etcdserver: role name not found");
    }
}
